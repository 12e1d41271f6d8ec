"""The partitioner, against the values that Kafka's own tests and librdkafka's expect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.protocol import murmur2, partition_of

JAVA = {
    "21": -973932308,
    "foobar": -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    "abc": 479470107,
    "1": -1993445489,
    "12": 126087238,
    "123": -267702483,
    "1234": -1614185708,
    "12345": -1188365604,
}
"""Signed, as Java prints them: Kafka's UtilsTest and Akka's Murmur2Spec."""
LIBRDKAFKA = {"": 0x106E08D9, "kafka": 0xD067CF64, "1234": 0x9FC97B14, "34": 0x873930DA}
"""From the unit test of rdmurmur2.c."""
POSITIVE = {"rule": 473_888_304, "hover": 164_653_822, "guest": 1_235_690_374, "agony": 989_421_259}
"""`toPositive(murmur2(key))`: what is taken modulo the partitions."""


@pytest.mark.parametrize(("key", "expected"), JAVA.items())
def test_it_hashes_as_java_does(key: str, expected: int) -> None:
    """The same 32 bits."""
    assert expected & 0xFFFFFFFF == murmur2(key.encode())


@pytest.mark.parametrize(("key", "expected"), LIBRDKAFKA.items())
def test_it_hashes_as_librdkafka_does(key: str, expected: int) -> None:
    """So `partitioner=murmur2_random` sends a group where we look for it."""
    assert expected == murmur2(key.encode())


@pytest.mark.parametrize(("key", "expected"), POSITIVE.items())
def test_the_sign_is_dropped_not_negated(key: str, expected: int) -> None:
    """Java masks the sign bit."""
    assert expected == partition_of(key, 2**31)


@given(key=st.text(st.characters(exclude_categories=["Cs"])), partitions=st.integers(1, 1_000))
def test_text_and_its_bytes_are_one_key(key: str, partitions: int) -> None:
    """And every key has a partition."""
    assert partition_of(key, partitions) == partition_of(key.encode(), partitions)
    assert partition_of(key, partitions) in range(partitions)
