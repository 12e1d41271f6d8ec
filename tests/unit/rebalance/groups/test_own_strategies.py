"""A user's own strategy is not believed what it says of itself, and cannot write where it reads."""

from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Applicant
from rebalance.groups.model.decisions import GroupAiled
from rebalance.ids import MemberId, Queue
from tests.builders.notation import queue, queue_text
from tests.builders.records import joined, left, routed
from tests.builders.story import Story, only

STICKY = allocator("STICKY")
PINNED = [queue("orders-0"), queue("orders-1")]


def pinned(request: AllocationRequest, who: str = "c") -> AllocationPlan:
    """Alter whose two queues are, and nothing of what STICKY says of its answer."""
    plan = STICKY(request)
    return replace(plan, owners={**plan.owners, **dict.fromkeys(PINNED, MemberId(who))})


def pinned_to_a_stranger(request: AllocationRequest) -> AllocationPlan:
    """Name nobody who is there."""
    return pinned(request, "nobody")


def asked_again(request: AllocationRequest) -> AllocationPlan:
    """Let STICKY answer about an answer of its own: that changes nothing."""
    again = STICKY(replace(request, current=pinned(request).owners))
    return STICKY(replace(request, current=again.owners))


def uncapped(request: AllocationRequest) -> AllocationPlan:
    """Ask STICKY as if everybody had room."""
    roomy = {name: Applicant(one.topics) for name, one in request.candidates.items()}
    return STICKY(replace(request, candidates=roomy))


def once_c_is_there(strategy: Allocator) -> Allocator:
    """Answer as STICKY does until then."""
    return lambda request: (strategy if "c" in request.candidates else STICKY)(request)


def two_at_work(strategy: Allocator) -> Story:
    """Let them share six queues, as STICKY says."""
    story = Story(allocator=once_c_is_there(strategy))
    story.reads(joined("a"), joined("b"), routed("orders", 6))
    return story


def meant(story: Story) -> dict[str, str]:
    """Return the target."""
    return {queue_text(it): name for it, name in sorted(story.state.target.owners.items())}


@pytest.mark.parametrize("strategy", [pinned, asked_again])
def test_what_is_altered_is_carried_out(strategy: Allocator) -> None:
    """Nothing that was said of another answer keeps a queue where it is."""
    story = two_at_work(strategy)
    story.reads(joined("c"))
    story.settles()

    assert ["c", "c"] == [story.owners()[queue_text(it)] for it in PINNED]
    assert meant(story) == story.owners()


def test_what_is_altered_is_checked() -> None:
    """The stranger gets nothing, and it is said why."""
    story = two_at_work(pinned_to_a_stranger)
    before = meant(story)
    story.reads(joined("c"))

    [ailed] = only(GroupAiled, story.decided)
    assert "was given to nobody, which is no candidate" in ailed.reason
    assert before == meant(story)


@pytest.mark.parametrize("strategy", [pinned, uncapped])
def test_what_is_altered_is_counted(strategy: Allocator) -> None:
    """A capacity holds under every strategy."""
    story = two_at_work(strategy)
    story.reads(joined("c", capacity=1))

    assert 1 == list(meant(story).values()).count("c")


@pytest.mark.parametrize("strategy", [pinned, asked_again, uncapped])
def test_the_same_is_decided_with_the_memory_and_with_what_is_stored(strategy: Allocator) -> None:
    """There the owners are a plain dictionary."""
    whole, stored = two_at_work(strategy), two_at_work(strategy)
    target = stored.state.target
    plainly = replace(target, owners=dict(target.owners.items()))
    stored.state = replace(stored.state, target=plainly)
    for story in (whole, stored):
        story.reads(joined("c", capacity=2))

    assert whole.pages() == stored.pages()


@pytest.mark.parametrize(
    "options",
    [{}, {"broker_racks": {"": "east"}}, {"queue_weights": {"orders": [["", 1, 2]]}}],
    ids=["plain", "racks", "weights"],
)
def test_ours_say_what_they_answer(options: dict[str, object]) -> None:
    """Else each queue of a large group would be looked at for one that moves."""
    ours = allocator("STICKY", options)
    plans: list[AllocationPlan] = []

    def noting(request: AllocationRequest) -> AllocationPlan:
        plans.append(ours(request))
        assert plans[-1].answers is request
        return plans[-1]

    story = Story(allocator=noting)
    story.reads(joined("a"), routed("orders", 4))

    assert plans[-1].owners is story.state.target.owners
    assert [] == only(GroupAiled, story.decided)


def in_turn(owners: dict[Queue, MemberId], request: AllocationRequest) -> AllocationPlan:
    """Write into ``owners`` that everybody gets one queue in turn."""
    names = sorted(request.candidates)
    for queues in request.queues.values():
        owners.update((it, names[it.id % len(names)]) for it in queues)
    return AllocationPlan(owners)


def with_one_dictionary() -> Allocator:
    """Fill the same one each time."""
    owners: dict[Queue, MemberId] = {}

    def allocate(request: AllocationRequest) -> AllocationPlan:
        owners.clear()
        return in_turn(owners, request)

    return allocate


def test_a_dictionary_may_be_used_again() -> None:
    """What was answered once stays so, for this group and for others."""
    strategy = with_one_dictionary()
    story, other = Story(allocator=strategy), Story(allocator=strategy)
    other.reads(joined("z"), routed("orders", 4))
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    for change in (joined("c"), left("a")):
        story.reads(change)
        story.settles()
        story.waits(seconds=1)
        assert meant(story) == story.owners()
        assert story.state.membership.members.keys() == set(story.owners().values())

    assert {"z"} == set(meant(other).values())


def test_what_is_meant_now_cannot_be_written_into() -> None:
    """The attempt is named, and the old target stays, which may have been altered by halves."""

    def writing(request: AllocationRequest) -> AllocationPlan:
        there = request.current if "c" in request.candidates else dict(request.current)
        return in_turn(there, request)  # type: ignore[arg-type] # that is what is wrong with it

    story = Story(allocator=writing)
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    target, pages = meant(story), story.pages()
    story.reads(joined("c"))

    assert ["a", "b", "a", "b"] == list(target.values())
    assert (target, pages) == (meant(story), story.pages())
    assert 1 == len(only(GroupAiled, story.decided))
