"""A user's own strategy is not believed what it says of its answer."""

from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Applicant
from rebalance.groups.model.decisions import GroupAiled
from rebalance.ids import MemberId
from tests.builders.notation import queue, queue_text
from tests.builders.records import joined, routed
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
