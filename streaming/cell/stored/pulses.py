"""The stored form of what is counted in columns: who beats, and when each was last heard.

It is written in each batch in which somebody beats, so all but the groups' names are plain arrays
of little-endian integers, in columns. Used by ``pulses``.
"""

from streaming.cell.stored.form import Form


class PulsesForm(Form):
    """Columns of groups, and columns of members."""

    names: list[str]
    until: bytes
    """For each group, 64 bits: when anything else is due; the largest number: never."""
    first: bytes
    second: bytes
    """For each member, sorted: the fingerprint of its last beat, twice 64 bits."""
    group: bytes
    place: bytes
    """For each member, 32 bits: which group is its, and where it stands there."""
    silence: bytes
    """For each member, 32 bits: how long it may be silent."""
    seen: bytes
    number: bytes
    """For each member, 64 bits: its pulse."""
    asks: bytes = b""
    """For each member, 64 bits: from when on its beats ask for its record; without: never."""
