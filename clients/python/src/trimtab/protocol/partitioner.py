"""The partition of a key: Java's default partitioner, bit for bit.

All records of a group must be in one partition, whoever wrote them: a Java producer by default, a
librdkafka producer with `partitioner=murmur2_random`, or we, who name the partition outright.
"""

_M = 0x5BD1E995
_SEED = 0x9747B28C  # Kafka's, in `Utils.murmur2`
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """MurmurHash2 as in Kafka's `Utils.murmur2`, as an unsigned number of 32 bits."""
    length = len(data)
    h = _SEED ^ length
    whole = length & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * _M & _MASK
        h = (h * _M & _MASK) ^ ((k ^ k >> 24) * _M & _MASK)
    if length > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


def partition_of(key: str | bytes, partitions: int) -> int:
    """The partition of a key in a topic of so many partitions."""
    data = key.encode() if isinstance(key, str) else key
    return (murmur2(data) & 0x7FFFFFFF) % partitions
