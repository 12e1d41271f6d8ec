"""How the state is stored: a written form for each type that is kept, and its conversions.

Nothing in here takes a name from the brain. A form is an array, so a field is known by its place;
an enum's member is known by its number. To rename or to move a field of the brain changes two
conversions and no byte (``docs/decisions/0019-the-state-has-a-form-of-its-own.md``).

How a form may change:

- A new field comes at the end of its form and has a default. Older bytes are read, and mean the
  default; an older release refuses the newer bytes. The golden file of before is kept, so in what
  it is compared with (``tests/builders/full_group.py``) the new field has its default.
- A number of an enum is never given to another member.
- All else (a field that goes, or means something else) is a new version: the forms of the old one
  are frozen in a folder of their own, as ``version_1`` is, and read from there. ``version_1`` makes
  forms of version 2: before there is a version 3, copy those into it.
- ``rows.RowForm`` is a plain tuple, and can have no field more within a version. ``packed.Packed``
  is a stored form too.

Which test of ``tests/unit/streaming/cell/test_codec.py`` fails when: ``test_nothing_is_forgotten``
for a field of the brain that is not stored; ``test_what_is_written_is_the_golden_file`` for a byte
that changes; ``test_all_of_a_version_is_read`` for bytes that are no longer read.

Used by ``packed`` and ``codec``. Sets are sorted, so that the same state is the same bytes in any
process.
"""
