"""Very many beats, written by a process of its own.

    python -m bench.backlog.flood localhost:9092 t1. 5000000 8

They are of a thousand members of other groups; each tenth beat of a member is a full one, which a
starting controller keeps until it has read everything.
"""

import subprocess
import sys
from typing import Final

from confluent_kafka import Producer

from trimtab.protocol import DEFAULT_PARTITIONS, HEARTBEATS, Beat, GrantRef, encode, partition_of

_LIFE: Final = "1767225600000-9f86d081"
_MEMBERS: Final = 1_000
_GROUPS: Final = 97
_FULL: Final = 10
_OWNED: Final = (GrantRef("orders", "", 0, 1), GrantRef("orders", "", 1, 1))
_NUMBER: Final = b'"sequence":1,'


def flood(servers: str, prefix: str, count: int, partitions: int = DEFAULT_PARTITIONS) -> None:
    """Write so many beats, and wait until Kafka has them."""
    arguments = [servers, prefix, str(count), str(partitions)]
    subprocess.run([sys.executable, "-m", __name__, *arguments], check=True)


def _write(servers: str, prefix: str, count: int, partitions: int) -> None:
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 50, "acks": 1})
    beats = [(_halves(it), _halves(it, _OWNED)) for it in range(_MEMBERS)]
    groups = [f"elsewhere-{it % _GROUPS}" for it in range(_MEMBERS)]
    places = [(it.encode(), partition_of(it, partitions)) for it in groups]
    done = 0
    while done < count:
        turn, member = divmod(done, _MEMBERS)
        before, after = beats[member][turn % _FULL == 0]
        value = b'%b"sequence":%d,%b' % (before, turn + 1, after)
        try:
            producer.produce(f"{prefix}{HEARTBEATS.name}", value, *places[member])
        except BufferError:
            producer.poll(0.1)
        else:
            done += 1
    assert producer.flush(60) == 0, "Kafka did not take all of it"


def _halves(member: int, owned: tuple[GrantRef, ...] | None = None) -> tuple[bytes, bytes]:
    """Return a member's beat, without its number."""
    beat = Beat(member=f"m{member}", incarnation=_LIFE, sequence=1, epoch=0, owned=owned)
    before, _, after = encode(beat).partition(_NUMBER)
    return before, after


if __name__ == "__main__":
    _, where, before, many, parts = sys.argv
    _write(where, before, int(many), int(parts))
