"""A group moves back to Kafka's side only if nobody goes on with its queues on trimtab's."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from console import staying
from console.errors import Away, ExitCode, Failure, Leaderless
from console.published import Published
from console.settings import load
from console.staying import look
from tests.unit.console.planning.published_group import Message
from tests.unit.console.views.published_records import (
    LIFE,
    assignment,
    hold,
    inherit,
)
from trimtab.protocol import Assignment, Beat, MemberKey, encode

MOVABLE = {"a": 1, "b": 1}
OTHER_LIFE = "1767225600005-00000001"
BEAT_MS = 2_000


class Look:
    """Looks at what a test says is published, and keeps what it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.notes: list[str] = []
        self.waited_s = 0.0
        monkeypatch.setattr(staying, "time", self)

    def monotonic(self) -> float:
        """Tell the time."""
        return self.waited_s

    def sleep(self, seconds: float) -> None:
        """Let it pass."""
        self.waited_s += seconds

    def __call__(
        self,
        *told: Iterable[Assignment] | Failure,
        beats: Mapping[str, int] | None = None,
        away: tuple[int, int] = (0, 0),
        until: float = 60.0,
    ) -> None:
        """Look; the group was told these, one after the other, the last of them for good.

        The last beats are so many milliseconds old, and others came before; without any, each came
        just now. Kafka was away between two ages.
        """
        answers = list(told)
        log = [
            Message(b"billing", encode(beat(it)), -age)
            for it, last in (beats or dict.fromkeys("abcd", 0)).items()
            for age in range(last, 60_000, BEAT_MS)
            if not away[0] < age < away[1]
        ]
        log.sort(key=Message.timestamp)

        def assignments(*_: object) -> dict[MemberKey, Assignment]:
            said = answers.pop(0) if len(answers) > 1 else answers[0]
            if isinstance(said, Failure):
                raise said
            return {MemberKey(it.group, it.member): it for it in said}

        def messages(*_: object, since: int | Mapping[int, int], **__: object) -> Iterable[Any]:
            if isinstance(since, int):
                return [it for it in log if it.timestamp()[1] >= since]
            return log[since[0] :]

        self._monkeypatch.setattr(staying, "messages", messages)
        end = TopicPartition("heartbeats", 0, len(log))
        self._monkeypatch.setattr(staying, "end_of", lambda *_: end)
        self._monkeypatch.setattr(Published, "assignments", assignments)
        settings = load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings
        look(Published(settings), "billing", self.notes.append, until, lambda: MOVABLE)


def beat(life: str) -> Beat:
    """A sign of this life, which may be another one than usual."""
    member, _, incarnation = life.partition("@")
    return Beat(member=member, incarnation=incarnation or LIFE, sequence=7, epoch=3)


@pytest.fixture
def look_at(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Nothing was told yet."""
    return Look(monkeypatch)


def test_those_that_can_move_hinder_nobody(look_at: Look) -> None:
    """Nor does who owns nothing; where twins are told apart, each has its life in its name."""
    own = assignment(f"b@{LIFE}", inherit=(inherit(1, 5, "a"),))
    look_at([assignment("a", hold=(hold(0, 4),)), own, assignment("c")])

    assert ([], 0) == (look_at.notes, look_at.waited_s)


@pytest.mark.parametrize(
    "of_c", [{"hold": (hold(1, 4),)}, {"give": (hold(1, 4),)}, {"inherit": (inherit(1, 5, "a"),)}]
)
def test_one_that_cannot_and_owns_queues_keeps_the_group_where_it_is(
    look_at: Look, of_c: dict[str, Any]
) -> None:
    """It would work on them beside their owners on Kafka's side, for good."""
    with pytest.raises(Failure) as refused:
        look_at([assignment("a", hold=(hold(0, 4),)), assignment("c", **of_c)], until=3.0)

    assert (ExitCode.UNHEALTHY, 3.0) == (refused.value.exit_code, look_at.waited_s)
    assert str(refused.value) == (
        "billing stays: 1 of its members on trimtab's side cannot move, and would go on with their "
        "queues: c; make each a MovingConsumer first, or stop it"
    )


def test_one_that_has_just_been_stopped_is_waited_for(look_at: Look) -> None:
    """The last of them was deployed anew a second ago."""
    look_at([assignment("c", hold=(hold(0, 4),))], [assignment("a", hold=(hold(0, 5),))])

    assert 0 < look_at.waited_s < 10


def test_who_is_silent_is_gone_though_no_controller_says_so(look_at: Look) -> None:
    """Trimtab may be what the group wants to get away from; only other beats say how old one is."""
    told = [assignment("a", hold=(hold(0, 4),)), assignment("c", hold=(hold(1, 4),))]
    look_at(told, beats={"a": 0, "c": 10_001})
    look_at(told, beats={"a": 0})
    with pytest.raises(Failure, match="c; make"):
        look_at(told, beats={"a": 0, "c": 9_999})


@pytest.mark.parametrize("away", [(0, 8_000), (1_000, 60_000), (-1, 60_000)])
def test_nobody_is_gone_whom_kafka_could_not_hear(look_at: Look, away: tuple[int, int]) -> None:
    """It has just come back, or nobody has said anything yet."""
    told = [assignment("a", hold=(hold(0, 4),)), assignment("c", hold=(hold(1, 4),))]
    with pytest.raises(Failure, match="c; make"):
        look_at(told, beats={"a": 0, "c": 10_100}, away=away)


def test_where_a_name_is_a_whole_fleets_each_life_counts(look_at: Look) -> None:
    """As many as are in Kafka's group can move; one more cannot, until it is silent."""
    told = [
        assignment("a@" + life, incarnation=life, hold=(hold(number, 4),))
        for number, life in enumerate((LIFE, OTHER_LIFE))
    ]
    with pytest.raises(Failure, match=r"1 of its members on trimtab's side cannot move.*: a; make"):
        look_at(told, beats={"a": 0, f"a@{OTHER_LIFE}": 0})
    look_at(told, beats={"a": 0, f"a@{OTHER_LIFE}": 10_001})


@pytest.mark.parametrize(
    "error", [Failure("no right"), Failure("no topic", ExitCode.NOT_FOUND), Leaderless("no leader")]
)
def test_what_cannot_be_read_of_trimtabs_is_said_and_hinders_nobody(
    look_at: Look, error: Failure
) -> None:
    """The way back is Kafka's."""
    look_at(error)

    assert [
        f"whether members that cannot move own queues was not looked at: {error}"
    ] == look_at.notes


def test_a_kafka_without_an_answer_ends_it(look_at: Look) -> None:
    """Nobody could move."""
    with pytest.raises(Away, match="silence"):
        look_at(Away("silence"))
