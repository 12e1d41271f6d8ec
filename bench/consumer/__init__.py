"""What a message costs to read: `trimtab.Consumer` beside the bare client, in one run.

Both read the same messages of one real broker, in slices that take turns, so that a busy minute of
the machine hits both.
"""
