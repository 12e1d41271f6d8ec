"""What a message costs with ``trimtab.Producer``, against the bare client library.

Both send the same messages to the same topic of one real broker, in slices that take turns, so that
a busy minute of the machine hits both. With trimtab come its turns, its measuring, its reports and
its ear for verdicts; all of that must fit into a tenth.
"""
