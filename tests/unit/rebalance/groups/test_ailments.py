"""What could not be done for a group is said once, and nothing that was published is undone."""

from dataclasses import replace

import pytest

from allocators.rocketmq.averagely import averagely
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.ailments import heard, reason_of
from rebalance.groups.model.commands import ChooseStrategy, RebalanceNow
from rebalance.groups.model.decisions import GroupAiled, MemberChanged, Rebalanced
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.records import Record, at, beat_of, commanded, drained, joined, left, routed
from tests.builders.story import Story, only


class Moody:
    """A strategy of somebody's own, that fails as long as it is told to."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.asked = 0

    def __call__(self, request: AllocationRequest) -> AllocationPlan:
        """Fail, or share out evenly."""
        self.asked += 1
        if self.error is not None:
            raise self.error
        return averagely(request)


def at_work(strategy: Moody, policy: Policy | None = None) -> Story:
    """Two members share four queues; from now on the strategy fails."""
    story = Story(policy or Policy(), allocator=strategy)
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    strategy.error = ValueError("no rack is called north")
    return story


def test_a_strategy_that_fails_leaves_the_old_target() -> None:
    """The newcomer waits, everybody else works on, and it is said why."""
    story = at_work(Moody())
    before = story.pages()
    story.reads(joined("c"))

    assert before == story.pages()
    assert "c" in story.state.membership.members
    assert ["ValueError: no rack is called north"] == [
        it.reason for it in only(GroupAiled, story.decided)
    ]
    assert (
        "ValueError: no rack is called north" == only(GroupSummarised, story.decisions)[-1].ailment
    )


def keeping(request: AllocationRequest) -> AllocationPlan:
    """Leave every queue where it is, as somebody might who forgets that members go."""
    owners, names = dict(request.current), sorted(request.candidates)
    for queues in request.queues.values():
        for place, queue in enumerate(queues):
            owners.setdefault(queue, names[place % len(names)])
    return AllocationPlan(owners)


@pytest.mark.parametrize(
    "change",
    [left("b"), drained("b"), joined("b", "visits")],
    ids=["its owner left", "drains", "subscribes something else"],
)
def test_a_strategy_that_keeps_what_is_right_no_more_is_named(change: Record) -> None:
    """Its plan differs in nothing from the last one, and leaves a queue without a worker."""
    story = Story(allocator=keeping)
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.waits(seconds=1)
    assert [] == only(GroupAiled, story.decisions)
    story.reads(change)
    story.waits(seconds=1)

    assert "was given to" in only(GroupSummarised, story.decisions)[-1].ailment


def test_it_is_asked_again_at_the_next_change_and_not_before() -> None:
    """Time and beats change nothing about a function of the group."""
    strategy = Moody()
    story = at_work(strategy, Policy(assignment_interval_ms=Millis(2_000)))
    story.waits(seconds=3)
    story.reads(joined("c"))
    asked, said = strategy.asked, len(story.decisions)
    for number in range(5):
        story.waits(seconds=1)
        story.reads(*(beat_of(name, sequence=20 + number) for name in "abc"))
    assert (asked, said) == (strategy.asked, len(story.decisions))

    story.waits(seconds=2)
    story.reads(joined("d"), *(beat_of(name, sequence=30) for name in "abc"))
    story.waits(seconds=2)
    assert asked + 1 == strategy.asked
    assert 1 == len(only(GroupAiled, story.decisions))


@pytest.mark.parametrize("command", [RebalanceNow(), ChooseStrategy("AVG")])
def test_a_command_has_it_asked_again(command: RebalanceNow | ChooseStrategy) -> None:
    """And once it answers, all is well."""
    strategy = Moody()
    story = at_work(strategy)
    story.reads(joined("c"))
    strategy.error = None
    story.reads(commanded(command))
    story.waits(seconds=1)

    assert ["", None] == [only(GroupAiled, story.decisions)[-1].reason, story.state.ailment]
    assert 2 == len(only(Rebalanced, story.decisions))
    assert "" == only(GroupSummarised, story.decisions)[-1].ailment


def test_who_leaves_leaves_all_the_same() -> None:
    """Its queues wait for a target; nobody is kept for a strategy's sake."""
    story = at_work(Moody())
    story.reads(left("b"))

    assert {"a"} == set(story.state.membership.members)
    assert {"a"} == set(story.owners().values())
    assert 1 == len([it for it in only(MemberChanged, story.decided) if it.member == "b"])
    assert 2 == only(GroupSummarised, story.decided)[-1].unassigned


def test_a_strategy_may_not_end_the_process_and_lack_of_memory_may() -> None:
    """The one is the group's business, the other is not."""
    strategy = Moody()
    story = at_work(strategy)
    strategy.error = SystemExit(3)
    story.reads(joined("c"))
    assert story.state.ailment is not None

    strategy.error = MemoryError()
    with pytest.raises(MemoryError):
        story.reads(joined("d"))


class Mute(Exception):  # noqa: N818 - as its kind
    """One whose message fails as well."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError("no message")


REASONS = {
    "of one line": (ValueError("bad\nERROR forged line\x1b[31m"), "ValueError: bad?ERROR forged"),
    "short": (ValueError("x" * 10**6), "ValueError: xxx"),
    "the same each time": (KeyError(f"<object at {hex(id(object()))}>"), "object at 0x>"),
    "whatever raises": (Mute(), "Mute: its message cannot be read"),
}


@pytest.mark.parametrize(("error", "part"), REASONS.values(), ids=REASONS.keys())
def test_a_reason_is(error: Exception, part: str) -> None:
    """Strangers' text: fit to be shown, and to be published twice."""
    reason = reason_of(error)

    assert part in reason
    assert reason.isprintable()
    assert 300 >= len(reason)


def test_who_is_heard_while_a_step_fails_has_read_no_more_than_before() -> None:
    """It is told again later: whoever missed its record must not be forgotten for that."""
    story = at_work(Moody())
    pulse = story.state.membership.pulses[MemberId("a")]
    assert pulse.unread is not None

    beat = beat_of("a", sequence=99)(at(5_000))
    after = heard(story.state, [beat]).membership.pulses[MemberId("a")]
    assert replace(pulse, seen=Millis(5_000), sequence=99) == after
