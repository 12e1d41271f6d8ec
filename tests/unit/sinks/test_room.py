"""Whatever a group takes in can be told to one member, and what it says of it can be written."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, Final

import pytest

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import AssignmentIssued, Ending, Freed, HandedOver
from rebalance.groups.model.events import Inheritance, Portion
from rebalance.groups.model.extent import ALWAYS_FIT, RECORD_BYTES, Extent
from rebalance.groups.model.route import Route
from rebalance.ids import (
    BrokerName,
    Epoch,
    GroupName,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Naming,
    Position,
    Queue,
    Tenure,
    TopicName,
)
from sinks import Outlet, record_of
from tests.builders.records import joined, left, routed
from tests.builders.story import Story, only
from trimtab.protocol import (
    ASSIGNMENTS,
    RELEASES,
    TOPICS,
    Assignment,
    Beat,
    GrantRef,
    LifeRef,
    Record,
    ReleaseRef,
    decode,
    encode,
    limits,
)
from trimtab.session.outbox import Outbox

LIFE: Final = Incarnation("1767225600000-9f86d081")
LONGEST: Final = "\N{GRINNING FACE}" * limits.NAME_CHARACTERS
"""As many bytes as a name can have."""
OUTLET: Final = Outlet("t.", partitions=8)
AT: Final = Millis(1_767_225_600_000)
WORDY: Final = Cause(
    CauseKind.ROUTE,
    LONGEST,
    Position(TopicName("t" * 249), 999, 7),
    "\N{GRINNING FACE}" * limits.TEXT_CHARACTERS,
)
ISSUED: Final = AssignmentIssued(
    group=GroupName(LONGEST),
    life=Life(MemberId(LONGEST), LIFE),
    epoch=Epoch(99_999_999),
    target_epoch=Epoch(99_999_999),
    portion=Portion(),
    session_timeout_ms=Millis(86_400_000),
    revocation_timeout_ms=Millis(86_400_000),
    heartbeat_interval_ms=Millis(86_400_000),
    cause=WORDY,
)


def written(portion: Portion) -> tuple[int, Assignment]:
    """Return the size of a member's record, and what it says."""
    value = record_of(replace(ISSUED, portion=portion), OUTLET).value or b""
    return len(value), decode(ASSIGNMENTS, value)


def queues_of(topic: str, how_many: int, broker: str = "") -> list[Queue]:
    """Return the queues of a topic."""
    return [Queue(TopicName(topic), BrokerName(broker), number) for number in range(how_many)]


def fits(queues: Sequence[Queue]) -> bool:
    """Tell whether a group would take all of these in."""
    extent = Extent()
    for topic, its in groupby(sorted(queues), key=lambda queue: queue.topic):
        extent = extent.with_route(topic, Route(1, exists=True, queues=tuple(its)))
    return extent.queues <= limits.QUEUES_PER_RECORD and extent.size <= RECORD_BYTES


@pytest.mark.parametrize("length", [20, 92, 249])
def test_ten_thousand_queues_are_told_to_one_member(length: int) -> None:
    """The name of their topic is said once, so its length does not matter."""
    queues = queues_of("t" * length, 10_000)
    size, told = written(
        Portion(hold=tuple(Naming(queue, Epoch(123_456), Epoch(123_457)) for queue in queues))
    )

    assert fits(queues)
    assert 10_000 == len(told.hold)
    assert told.unnamed is None
    assert size < 220_000


def test_ten_thousand_topics_are_told_to_one_member() -> None:
    """One queue each, and names as long as people make them."""
    queues = [queue for n in range(10_000) for queue in queues_of(f"{n:a>40}", 1)]
    size, told = written(
        Portion(hold=tuple(Naming(queue, Epoch(123_456), Epoch(123_457)) for queue in queues))
    )

    assert fits(queues)
    assert (10_000, None) == (len(told.hold), told.unnamed)
    assert size <= limits.RECORD_BYTES


@pytest.mark.parametrize("characters", [20, 255])
def test_lives_that_come_next_are_named_as_long_as_there_is_room(characters: int) -> None:
    """All or none; a holder that is told no names has its epochs, and every queue."""
    lives = [Life(MemberId(f"{n:a>{characters}}"), LIFE) for n in range(5_000)]
    queues = queues_of("orders", 5_000)
    namings = (
        Naming(it, Epoch(123_456), Epoch(123_457), who)
        for it, who in zip(queues, lives, strict=True)
    )
    size, told = written(Portion(hold=tuple(namings)))

    assert size <= limits.RECORD_BYTES
    assert (5_000, None) == (len(told.hold), told.unnamed)
    assert {123_457} == {row.next for row in told.hold}
    named = {None} if characters == 255 else {LifeRef(*it) for it in lives}
    assert named == {row.to for row in told.hold}


def test_the_longest_names_are_too_many_for_a_group() -> None:
    """What could not be told is not taken in."""
    queues = [queue for n in range(1_000) for queue in queues_of(f"{n:0>4}{LONGEST[4:]}", 1)]

    assert not fits(queues)
    assert fits(queues[:900])


def a_full_group(character: str, length: int, brokers: Sequence[str], each: int) -> list[Queue]:
    """Return the queues of a group that takes as much as it may."""
    queues: list[Queue] = []
    extent = Extent()
    for number in count():
        name = TopicName(f"{number:05}{character * (length - 5)}")
        its = tuple(it for broker in sorted(brokers) for it in queues_of(name, each, broker))
        extent = extent.with_route(name, Route(1, exists=True, queues=its))
        if extent.queues > limits.QUEUES_PER_RECORD or extent.size > RECORD_BYTES:
            break
        queues += its
    return queues


def size_of(record: Record) -> int:
    """Return how long a record is."""
    return len(encode(record))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("character", "length", "brokers", "each"),
    [
        ("a", 8, ("",), 1),
        ("a", 40, ("",), 1),
        ("a", 40, ("",), 3),
        ('"', 92, ("",), 1),
        ("a", 249, ("", "b"), 2),
        ("\N{GRINNING FACE}", 249, (LONGEST, "b" * 200), 3),
    ],
)
def test_what_a_group_takes_in_fits_into_every_record(
    character: str, length: int, brokers: Sequence[str], each: int
) -> None:
    """Told as hold, give and inherit at once; stated in a beat; released, with positions.

    A member that releases all of it does so in two records.
    """
    queues = a_full_group(character, length, brokers, each)
    epoch, late = Epoch(99_999_999), Epoch(88_888_888)
    told = Portion(
        hold=tuple(Naming(queue, epoch, epoch) for queue in queues[::3]),
        give=tuple(Naming(queue, epoch, epoch) for queue in queues[1::3]),
        inherit=tuple(
            Inheritance(queue, epoch, Tenure(Life(MemberId(LONGEST), LIFE), late))
            for queue in queues[2::3]
        ),
    )
    size, orders = written(told)
    says: dict[str, Any] = {"member": LONGEST, "incarnation": LIFE, "sequence": 2**53 - 1}
    beat = Beat(**says, epoch=epoch, owned=tuple(GrantRef(*it, epoch) for it in queues))
    rows = [ReleaseRef(*it, epoch, limits.POSITION, epoch) for it in queues]
    releases = [len(it.value) for it in Outbox(LONGEST).release(LifeRef(LONGEST, LIFE), rows)]

    assert (None, len(queues)) == (
        orders.unnamed,
        len(orders.hold) + len(orders.give) + len(orders.inherit),
    )
    assert max(size, size_of(beat), *releases) <= limits.RECORD_BYTES
    assert len(releases) <= 2


def test_givers_that_are_too_many_are_told_later() -> None:
    """A thousand of the longest names do not fit: all others are named, and those are counted."""
    queues = queues_of("orders", 2_000)
    inherit = tuple(
        Inheritance(queue, Epoch(5), Tenure(Life(MemberId(f"{n:04}{LONGEST[4:]}"), LIFE), Epoch(4)))
        for n, queue in enumerate(queues)
    )
    hold = tuple(Naming(queue, Epoch(5), Epoch(6)) for queue in queues_of("payments", 100))
    size, told = written(Portion(hold=hold, inherit=inherit))

    assert limits.RECORD_BYTES - 2_000 < size <= limits.RECORD_BYTES
    assert (100, 2_000) == (len(told.hold), len(told.inherit) + (told.unnamed or 0))
    assert [it.predecessor.life.member for it in inherit[: len(told.inherit)]] == [
        row.from_member for row in told.inherit
    ]


def test_no_record_is_larger_than_kafka_takes() -> None:
    """Not even one that tells of more than a group can have; it is cut as little as it must be."""
    queues = [queue for n in range(5_000) for queue in queues_of(f"{n:0>4}{LONGEST[4:]}", 1)]
    handed = HandedOver(
        group=GroupName("g"),
        from_member=MemberId("a"),
        to_member=MemberId("b"),
        queues=tuple(queues),
        duration_ms=Millis(1),
        idle_ms=Millis(1),
        epoch=Epoch(2),
        ending=Ending.RELEASED,
        at=AT,
        cause=WORDY,
    )
    portion = Portion(hold=tuple(Naming(queue, Epoch(2), Epoch(3)) for queue in queues))
    for decision in (replace(ISSUED, portion=portion), handed):
        record = record_of(decision, OUTLET)

        assert limits.RECORD_BYTES - 2_000 < len(record.value or b"") <= limits.RECORD_BYTES
        decode(TOPICS[record.topic.removeprefix("t.")], record.value)


def test_what_a_life_is_done_with_fits() -> None:
    """Also queues that are no more in any route: the controller says it in parts."""
    names = [f"{n:0>4}{LONGEST[4:]}" for n in range(ALWAYS_FIT)]
    namings = tuple(
        Naming(queue, Epoch(99_999_998), Epoch(99_999_999))
        for name in names
        for queue in queues_of(name, 1, broker=name)
    )
    record = record_of(Freed(GroupName(LONGEST), Life(MemberId(LONGEST), LIFE), namings), OUTLET)

    assert len(record.value or b"") <= limits.RECORD_BYTES
    said = decode(RELEASES, record.value).queues
    assert [ReleaseRef(*it.queue, it.epoch, None, it.next) for it in namings] == list(said)


def test_a_life_that_had_many_queues_is_spoken_for_in_parts() -> None:
    """Each of its queues once, and no part has more than fit in any case."""
    story = Story()
    story.reads(joined("a"), routed("orders", 3 * ALWAYS_FIT))
    story.reads(joined("b"))
    given = [naming.queue for naming in story.told("a").give]
    parts = only(Freed, story.reads(left("a")))

    assert 3 * ALWAYS_FIT // 2 == len(given)
    assert given == [naming.queue for part in parts for naming in part.namings]
    assert [ALWAYS_FIT, ALWAYS_FIT // 2] == [len(part.namings) for part in parts]
