"""A group moves to trimtab's side only if somebody works there on what it gives."""

from collections.abc import Callable, Iterable

import pytest

from console import receiving
from console.errors import Away, ExitCode, Failure
from console.published import Published
from console.pulse import Pulse
from console.receiving import look
from console.settings import load
from tests.builders.played_time import PlayedTime
from tests.unit.console.views.published_records import START_MS, assignment, hold, inherit
from trimtab.protocol import Assignment, MemberKey, partition_of

QUEUES = (("orders", 0), ("orders", 1))
PARTITIONS = 8
OWN = partition_of("billing", PARTITIONS)
Answer = Callable[[Published], object]


class Look(PlayedTime):
    """Looks at what a test says is published, and keeps what it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._monkeypatch = monkeypatch
        self.notes: list[str] = []
        monkeypatch.setattr(receiving, "time", self)

    def __call__(
        self,
        *told: Iterable[Assignment] | Failure,
        silent: Iterable[int] | Failure = (),
        until: float = 60.0,
    ) -> None:
        """Look; the group was told these, one after the other, the last of them for good."""
        answers = list(told)

        def felt(*_: object) -> Pulse:
            if isinstance(silent, Failure):
                raise silent
            return Pulse({}, list(silent), PARTITIONS)

        def assignments(*_: object) -> dict[MemberKey, Assignment]:
            said = answers.pop(0) if len(answers) > 1 else answers[0]
            if isinstance(said, Failure):
                raise said
            return {MemberKey(it.group, it.member): it for it in said}

        self._monkeypatch.setattr(receiving, "felt", felt)
        self._monkeypatch.setattr(Published, "assignments", assignments)
        settings = load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings
        look(Published(settings), "billing", START_MS, self.notes.append, until, QUEUES)


@pytest.fixture
def look_at(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Nothing was told yet."""
    return Look(monkeypatch)


def test_what_is_held_and_what_is_passed_on_has_an_owner(look_at: Look) -> None:
    """In the middle of a hand-over the heir is the owner."""
    giver = assignment("a", hold=(hold(0, 4),), give=(hold(1, 4, "b"),))
    look_at([giver, assignment("b", inherit=(inherit(1, 5, "a"),))])
    look_at([assignment("a", unnamed=2)])  # the record had no room for them

    assert ([], 0) == (look_at.notes, look_at.now)


def test_a_queue_without_an_owner_keeps_the_group_where_it_is(look_at: Look) -> None:
    """It is named, and so is what says why."""
    with pytest.raises(Failure) as refused:
        look_at([assignment("a", hold=(hold(0, 4),), give=(hold(1, 4),))], until=3.0)

    assert (ExitCode.UNHEALTHY, 3.5) == (refused.value.exit_code, look_at.now)
    said = "1 of 2 queues have no owner on trimtab's side (orders-1): `trimtab doctor billing`"
    assert f"billing stays: {said}" == str(refused.value)


def test_one_that_is_granted_in_a_moment_is_waited_for(look_at: Look) -> None:
    """The last process was deployed a second ago."""
    look_at([], [], [assignment("a", hold=(hold(0, 4), hold(1, 4)))])

    assert 0 < look_at.now < 10


def test_what_a_controller_granted_that_is_gone_does_not_count(look_at: Look) -> None:
    """Its owners may have ended since, and nobody says so."""
    with pytest.raises(Failure, match="no controller is at work") as refused:
        look_at([assignment("a", hold=(hold(0, 4), hold(1, 4)))], silent=range(PARTITIONS))

    assert ExitCode.UNHEALTHY == refused.value.exit_code


def test_of_partitions_without_ticks_the_groups_own_counts(look_at: Look) -> None:
    """In the others a controller is at work, which is no help to this group."""
    told = [assignment("a", hold=(hold(0, 4), hold(1, 4)))]
    look_at(told, silent={*range(PARTITIONS)} - {OWN})
    with pytest.raises(Failure, match=f"no controller ticks in partition {OWN} of ") as refused:
        look_at(told, silent=[OWN])

    assert ExitCode.UNHEALTHY == refused.value.exit_code


def test_what_may_not_be_read_is_said_and_hinders_nobody(look_at: Look) -> None:
    """A right that is missing is no finding; the other half is looked at all the same."""
    lacking = Failure("no right to Read topic t.x")
    look_at(lacking, silent=lacking)
    whole = look_at.notes.copy()
    with pytest.raises(Failure, match="no owner"):
        look_at([], silent=lacking)

    assert [
        "whether a controller is at work was not looked at: no right to Read topic t.x",
        "whether each queue has an owner there was not looked at: no right to Read topic t.x",
    ] == whole


@pytest.mark.parametrize("error", [Away("silence"), Failure("no topic", ExitCode.NOT_FOUND)])
def test_a_kafka_without_an_answer_or_without_our_topics_ends_it(
    look_at: Look, error: Failure
) -> None:
    """Without the topics nobody can be there."""
    with pytest.raises(Failure, match=str(error)):
        look_at(error)
