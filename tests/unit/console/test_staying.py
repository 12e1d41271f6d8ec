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
from tests.builders.played_time import PlayedTime
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
BEAT_S = 2
BEFORE_S = 60
ALIVE = 1_000


class Look(PlayedTime):
    """Looks at what a test says is published, and keeps what it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._monkeypatch = monkeypatch
        self.notes: list[str] = []
        self.held_s = 0.0  # by Kafka, at each look
        monkeypatch.setattr(staying, "time", self)

    def __call__(
        self,
        *told: Iterable[Assignment] | Failure,
        beats: Mapping[str, int] | None = None,
        until: float = 60.0,
    ) -> None:
        """Look; the group was told these, one after the other, the last of them for good.

        Each of those beats for so many seconds from the beginning on, and has done so before;
        without any, all do for good.
        """
        answers, self.now = list(told), 0.0
        last = dict.fromkeys("abcd", ALIVE) if beats is None else beats

        def log() -> list[Message]:
            now = int(self.now)
            said = [
                (at, life)
                for life, end in last.items()
                for at in range(-BEFORE_S, min(now, end) + 1, BEAT_S)
            ]
            told = [encode(beat(life)) for _, life in sorted(said)]
            return [Message(b"billing", it, number) for number, it in enumerate(told)]

        def assignments(*_: object) -> dict[MemberKey, Assignment]:
            said = answers.pop(0) if len(answers) > 1 else answers[0]
            if isinstance(said, Failure):
                raise said
            return {MemberKey(it.group, it.member): it for it in said}

        def messages(*_: object, since: Mapping[int, int], **__: object) -> Iterable[Any]:
            self.now += self.held_s
            return log()[since[0] :]

        def end_of(*_: object) -> TopicPartition:
            return TopicPartition("heartbeats", 0, len(log()))

        self._monkeypatch.setattr(staying, "messages", messages)
        self._monkeypatch.setattr(staying, "end_of", end_of)
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

    assert ([], 0) == (look_at.notes, look_at.now)


@pytest.mark.parametrize(
    "of_c", [{"hold": (hold(1, 4),)}, {"give": (hold(1, 4),)}, {"inherit": (inherit(1, 5, "a"),)}]
)
def test_one_that_cannot_and_owns_queues_keeps_the_group_where_it_is(
    look_at: Look, of_c: dict[str, Any]
) -> None:
    """It would work on them beside their owners on Kafka's side, for good."""
    with pytest.raises(Failure) as refused:
        look_at([assignment("a", hold=(hold(0, 4),)), assignment("c", **of_c)], until=3.0)

    assert (ExitCode.UNHEALTHY, 3.0) == (refused.value.exit_code, look_at.now)
    assert str(refused.value) == (
        "billing stays: 1 of its members on trimtab's side cannot move, and would go on with their "
        "queues: c; make each a MovingConsumer first, or stop it"
    )


def test_one_that_has_just_been_stopped_is_waited_for(look_at: Look) -> None:
    """The last of them was deployed anew a second ago."""
    look_at([assignment("c", hold=(hold(0, 4),))], [assignment("a", hold=(hold(0, 5),))])

    assert 0 < look_at.now < 10


@pytest.mark.parametrize("beats", [{"a": ALIVE}, {"a": ALIVE, "c": 0}, {"a": 0, "c": 0}, {}])
def test_who_says_nothing_new_is_gone_though_no_controller_says_so(
    look_at: Look, beats: dict[str, int]
) -> None:
    """Trimtab may be what the group wants to get away from; and all may have been stopped."""
    look_at([assignment("a", hold=(hold(0, 4),)), assignment("c", hold=(hold(1, 4),))], beats=beats)

    assert ([], 15.0) == (look_at.notes, look_at.now)


@pytest.mark.parametrize("last_s", [4, 14, ALIVE])
def test_who_says_something_new_may_live(look_at: Look, last_s: int) -> None:
    """Kafka may just have come back, so that it is heard late; it is not waited for any longer."""
    told = [assignment("a", hold=(hold(0, 4),)), assignment("c", hold=(hold(1, 4),))]
    with pytest.raises(Failure, match="c; make"):
        look_at(told, beats={"a": 0, "c": last_s})

    assert look_at.now == 15.0


def test_nobody_is_gone_whom_kafka_could_not_hear(look_at: Look) -> None:
    """It keeps who looks waiting, too."""
    look_at.held_s = 9.0
    with pytest.raises(Failure, match="c; make"):
        look_at([assignment("c", hold=(hold(1, 4),))], beats={})


def test_where_a_name_is_a_whole_fleets_each_life_counts(look_at: Look) -> None:
    """As many as are in Kafka's group can move; one more cannot, until it is silent."""
    told = [
        assignment("a@" + life, incarnation=life, hold=(hold(number, 4),))
        for number, life in enumerate((LIFE, OTHER_LIFE))
    ]
    with pytest.raises(Failure, match=r"1 of its members on trimtab's side cannot move.*: a; make"):
        look_at(told, beats={"a": ALIVE, f"a@{OTHER_LIFE}": ALIVE})
    look_at(told, beats={"a": ALIVE, f"a@{OTHER_LIFE}": 0})


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
