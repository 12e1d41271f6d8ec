"""Very many records of strangers, written by a process of its own: nobody else is starved by it.

    python -m tests.integration.flood localhost:9092 t1. heartbeats 5000000

Beats of a thousand members, or releases of theirs, of groups that nobody else is in.
"""

import subprocess
import sys

from confluent_kafka import Producer

from trimtab.protocol import DEFAULT_PARTITIONS, Beat, Release, ReleaseRef, encode, partition_of

_LIFE = "1767225600000-9f86d081"
_MEMBERS = 1_000
_GROUPS = 97


def flood(servers: str, prefix: str, topic: str, count: int) -> None:
    """Write, and wait until it is written."""
    arguments = [servers, prefix, topic, str(count)]
    subprocess.run([sys.executable, "-m", __name__, *arguments], check=True)


def _written(servers: str, prefix: str, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 50, "acks": 1})
    values, done = [_value(topic, f"m{it}") for it in range(_MEMBERS)], 0
    groups = [f"elsewhere-{it}" for it in range(_GROUPS)]
    places = [(it.encode(), partition_of(it, DEFAULT_PARTITIONS)) for it in groups]
    while done < count:
        try:
            producer.produce(f"{prefix}{topic}", values[done % _MEMBERS], *places[done % _GROUPS])
        except BufferError:
            producer.poll(0.1)
        else:
            done += 1
    assert 0 == producer.flush(60), "Kafka did not take all of it"


def _value(topic: str, member: str) -> bytes:
    if topic == "heartbeats":
        return encode(Beat(member=member, incarnation=_LIFE, sequence=1, epoch=1))
    queues = (ReleaseRef("orders", "", 0, 1, None),)
    return encode(Release(member=member, incarnation=_LIFE, sequence=1, queues=queues))


if __name__ == "__main__":
    _, where, before, what, many = sys.argv
    _written(where, before, what, int(many))
