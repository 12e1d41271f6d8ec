"""Topics are read for a replay: no more of them than it needs, and than a machine can hold."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from console.errors import Failure
from console.recordings import reading
from console.recordings.reading import Wanted, recorded
from console.settings import load
from tests.unit.console.views.published_records import START_MS, group, rebalanced
from trimtab.protocol import TICK_KEY, encode, limits

NAME, NEIGHBOUR = b"billing", b"orders"
ENDED = START_MS
"""When the group's batch ended, as its summary says."""


class Message(NamedTuple):
    """A message, as Kafka's client hands it over."""

    name: str
    place: int
    named: bytes
    written: bytes
    at_ms: int

    def topic(self) -> str:
        """Where it is."""
        return f"trimtab.{self.name}"

    def partition(self) -> int:
        """In which part."""
        return 3

    def offset(self) -> int:
        """At which place there."""
        return self.place

    def key(self) -> bytes:
        """Whom it is about."""
        return self.named

    def value(self) -> bytes:
        """What it says."""
        return self.written

    def timestamp(self) -> tuple[int, int]:
        """When it was appended."""
        return 1, self.at_ms


KEPT = (
    Message("history", 0, NAME, encode(rebalanced(4)), ENDED + 5),
    Message("groups", 0, NAME, encode(group("a")), ENDED + 5),
    Message("members", 1, NAME, b"", ENDED - 90),
    Message("heartbeats", 1, TICK_KEY, b"", ENDED - 80),
    Message("heartbeats", 2, NAME, b"", ENDED - 70),
    Message("heartbeats", 4, NEIGHBOUR, b"", ENDED),
    Message("routes", 0, NEIGHBOUR, b"", ENDED - 60),
    Message("rocketmq", 0, b"client", b"", ENDED - 50),
)
"""What can have a part in what was decided about the group."""
BESIDE = (
    Message("history", 1, NEIGHBOUR, b"", ENDED - 99),
    Message("members", 0, NEIGHBOUR, b"", ENDED - 95),
    Message("heartbeats", 3, NEIGHBOUR, b"", ENDED - 65),
)
"""What has none."""
TOPICS = [f"trimtab.{it}" for it in ("members", "heartbeats", "routes", "rocketmq")]
PUBLISHED = ["trimtab.history", "trimtab.groups"]


@pytest.fixture(autouse=True)
def _kafka(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all of it."""

    def messages(*asked: Any, **_: object) -> Iterator[Message]:  # noqa: ANN401 - as of it
        return (it for it in (*KEPT, *BESIDE) if it.topic() in asked[2])

    monkeypatch.setattr(reading, "messages", messages)


def read(wanted: Wanted) -> set[tuple[str, int]]:
    """Return the places of what is read."""
    rows = recorded(load(environment={}).settings, "here:1", wanted)
    return {(it.topic.removeprefix("trimtab."), it.offset) for it in rows}


def places(*messages: Message) -> set[tuple[str, int]]:
    """Return where these are."""
    return {(it.name, it.place) for it in messages}


def test_beats_of_neighbours_are_not_held() -> None:
    """A partition has a hundred groups; without what was published nobody knows what to leave."""
    whole = Wanted([*TOPICS, *PUBLISHED], "billing")

    assert places(*KEPT) == read(whole._replace(decided=True))
    assert places(*KEPT, *BESIDE) == read(whole)
    heard = places(*KEPT[2:], *BESIDE[1:])
    assert heard == read(Wanted(TOPICS, "billing", decided=True))


@pytest.mark.parametrize(("name", "remedy"), [(None, "--group"), ("billing", "into a file")])
def test_what_no_machine_can_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str | None, remedy: str
) -> None:
    """Before the system ends the process, and perhaps others beside it."""
    wanted = Wanted([*TOPICS, *PUBLISHED], name)
    monkeypatch.setattr(reading, "MOST", len(KEPT) + len(BESIDE))
    assert places(*KEPT, *BESIDE) == read(wanted)

    monkeypatch.setattr(reading, "MOST", 3)
    with pytest.raises(Failure, match=f"more than 3 records.*{remedy}"):
        read(wanted)


@pytest.mark.parametrize(
    ("name", "decided"), [(None, False), ("billing", False), ("billing", True)]
)
def test_few_large_records_are_as_many(
    monkeypatch: pytest.MonkeyPatch,
    name: str | None,
    decided: bool,  # noqa: FBT001 - by pytest
) -> None:
    """Whoever may write may write a megabyte each time; groups of ten thousand queues do."""
    wanted = Wanted([*TOPICS, *PUBLISHED], name, decided)
    monkeypatch.setattr(reading, "MOST_BYTES", 400)

    with pytest.raises(Failure, match="or 400 bytes of them"):
        read(wanted)


def test_what_is_too_much_is_refused_before_all_of_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The history of all neighbours of ninety days is in the partition."""
    taken = list[Message]()

    def messages(*_: Any, **__: object) -> Iterator[Message]:  # noqa: ANN401 - as of Kafka
        for it in KEPT[:1] * 9:
            taken.append(it)
            yield it

    monkeypatch.setattr(reading, "messages", messages)
    monkeypatch.setattr(reading, "MOST", 3)
    with pytest.raises(Failure, match="more than 3 records"):
        read(Wanted(PUBLISHED, "billing"))
    assert 4 == len(taken)


def test_of_what_the_controller_refuses_for_its_size_the_head_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As it does; how long it was is known."""
    huge = Message("members", 0, NAME, b"x" * (limits.RECORD_BYTES + 1), ENDED)
    monkeypatch.setattr(reading, "messages", lambda *_, **__: [huge])
    (row,) = recorded(load(environment={}).settings, "here:1", Wanted(TOPICS, None))

    assert (limits.DEAD_LETTER_BYTES, limits.RECORD_BYTES + 1) == (len(row.value or b""), row.size)
