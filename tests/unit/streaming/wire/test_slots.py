"""Keys are dealt to cells as Spark deals them."""

from streaming.wire.slots import murmur3, slot_of


def signed(hashed: int) -> int:
    """Read a hash as Java prints it."""
    return hashed - (1 << 32) if hashed >> 31 else hashed


def test_keys_are_hashed_as_spark_does() -> None:
    """The examples of Spark's own documentation: hash('ABC') and hash('Spark', array(123), 2)."""
    chained = murmur3(b"Spark")
    for number in (123, 2):
        chained = murmur3(number.to_bytes(4, "little"), chained)

    assert -757602832 == signed(murmur3(b"ABC"))
    assert -1321691492 == signed(chained)
    assert -757602832 % 7 == slot_of(b"ABC", 7)
    assert 42 % 5 == slot_of(None, 5)
