"""Happenings: what may be in the log of a small controller's world beside what its members beat.

Used by ``test_counting``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hypothesis import strategies as st

from streaming.wire.rows import Row
from tests.builders.log import leave, route
from tests.builders.rocketmq import consumer, heartbeat
from tests.laws.beating import LIVES, MEMBERS_OF_EACH, NAMES, SECONDS, Who, Worker, World
from trimtab.protocol import (
    COMMANDS,
    MEMBERS,
    ROCKETMQ,
    ROUTES,
    EvictMember,
    Pace,
    Pause,
    Resume,
)

WHO: Final = st.tuples(st.sampled_from(NAMES), st.sampled_from(MEMBERS_OF_EACH))
_TWICE: Final = b'{"v":1,"kind":"beat","member":"a","incarnation":"%s",'
VALUES: Final = st.sampled_from(
    [
        b"",
        b"{",
        b'{"sequence":1}',
        b'{"v":1,"kind":"beat","member":"a","incarnation":"%s","sequence":%d,"epoch":1}',
        b'{"v":1,"kind":"beat","member":"a","incarnation":"%s","sequence":0%d,"epoch":1}',
        b'{"v":1,"kind":"beat","member":"a","incarnation":"%s","sequence":%d.0,"epoch":1}',
        b'{"v":1,"kind":"beat","member":"a","incarnation":"%s","sequence":%de1,"epoch":1}',
        b'{"v":1,"kind":"beat","member":"a","incarnation":"%s","epoch":1,"sequence":%d}',
        _TWICE + b'"sequence":%d,"epoch":1,"sequence" :9}',
        _TWICE + b'"x":{"sequence":%d},"sequence" :2,"epoch":1}',
        _TWICE + b'"sequence":%d,"epoch":1,"\\u0073equence":9}',
        b'{"v":1,"kind":"beat","member":"\xff","incarnation":"%s","sequence":%d,"epoch":1}',
        b'{"v":1,"kind":"leave","member":"a","incarnation":"%s","sequence":%d}',
    ]
)


_FURTHER: Final[Mapping[type, Mapping[str, object]]] = {
    EvictMember: {"member": "a"},
    Pace: {"interval_ms": 4_000},
}
Happening = Callable[[World, int], None]


def silent(who: Who, seconds: int) -> Happening:
    """Somebody is not heard for a while."""

    def happens(world: World, now: int) -> None:
        world.workers[who].silent_until = now + seconds

    return happens


def deafened(who: Who, *, deaf: bool) -> Happening:
    """Somebody does not read any more what it is told, or reads again."""

    def happens(world: World, _now: int) -> None:
        world.workers[who].deaf = deaf

    return happens


def repeated(who: Who, back: int, times: int) -> Happening:
    """A beat is in the log again, or comes late."""

    def happens(world: World, _now: int) -> None:
        for sent in world.workers[who].sent[-back:][:1] * times:
            world.says(who[0].encode(), sent)

    return happens


def often(who: Who, times: int, epoch: int | None) -> Happening:
    """Somebody beats more often, perhaps with another epoch."""

    def happens(world: World, _now: int) -> None:
        for _ in range(times):
            world.says(who[0].encode(), world.workers[who].beat(epoch))

    return happens


def restarts(who: Who) -> Happening:
    """A member comes back as another life; the older one may beat on."""

    def happens(world: World, _now: int) -> None:
        worker = world.workers[who] = Worker(*who, life=1)
        world.join(who, worker.life)

    return happens


def goes(who: Who) -> Happening:
    """Somebody leaves, and beats on."""
    return lambda world, _now: void(world.log.append(MEMBERS, who[0], leave(who[1]), at=world.at))


def void(_: object) -> None:
    """Return nothing."""


def written(who: Who, value: bytes, number: int) -> Happening:
    """Somebody writes something else."""
    parts = (LIVES[0].encode(), number)[: value.count(b"%")]
    return lambda world, _now: world.says(who[0].encode(), value % parts)


def regrown(group: str, queues: int) -> Happening:
    """A topic has another number of queues."""
    return lambda world, now: void(
        world.log.append(ROUTES, group, route(queues=queues, version=now + 2), at=world.at)
    )


def commanded(
    group: str, kind: type[Pause | Resume | EvictMember | Pace], late_ms: int = 0
) -> Happening:
    """An operator commands; what Kafka has taken can perhaps be read only later."""

    def happens(world: World, now: int) -> None:
        further = _FURTHER.get(kind, {})
        said = {"id": str(now), "principal": "p", "reason": "r", **further}
        record = kind.model_validate(said)
        world.log.append(COMMANDS, group, record, at=world.at - late_ms)

    return happens


def client(group: str) -> Happening:
    """A RocketMQ client sends its heartbeat."""
    return lambda world, _now: void(
        world.log.append(ROCKETMQ, "c", heartbeat(consumer(group, "orders")), at=world.at)
    )


def misdated(by_ms: int) -> Happening:
    """What is written to the heartbeats for the rest of the second has a wrong time."""

    def happens(world: World, _now: int) -> None:
        world.skew = by_ms

    return happens


GROUPS: Final = st.sampled_from(NAMES)
HAPPENINGS: Final = st.one_of(
    st.builds(silent, WHO, st.integers(1, 12)),
    st.builds(deafened, WHO, deaf=st.booleans()),
    st.builds(repeated, WHO, st.integers(1, 9), st.integers(1, 2)),
    st.builds(often, WHO, st.sampled_from([1, 2, 3, 20]), st.none() | st.integers(0, 9)),
    st.builds(restarts, WHO),
    st.builds(goes, WHO),
    st.builds(written, WHO, VALUES, st.integers(1, 99)),
    st.builds(regrown, GROUPS, st.integers(1, 6)),
    st.builds(
        commanded,
        GROUPS,
        st.sampled_from([Pause, Resume, EvictMember, Pace]),
        st.sampled_from([0, 3_000]),
    ),
    st.builds(client, GROUPS),
    st.builds(misdated, st.sampled_from([-30_000, -500, 700, 30_000])),
)
Story = Mapping[int, Sequence[Happening]]
STORIES: Final = st.dictionaries(
    st.integers(1, SECONDS - 1), st.lists(HAPPENINGS, min_size=1, max_size=2), max_size=6
)


def told(story: Story) -> list[Row]:
    """What is in the log after a story, in an order in which it can have been read."""
    world = World()
    for number in range(1, SECONDS):
        world.second(number, story.get(number, ()))
    return [row for second in world.seconds for row in second]
