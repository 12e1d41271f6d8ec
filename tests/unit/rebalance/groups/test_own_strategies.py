"""A user's own strategy is not believed what it says of itself, and what it is given is its own."""

import pickle
from copy import deepcopy
from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Applicant
from rebalance.groups.model.decisions import GroupAiled
from rebalance.groups.model.policy import Policy
from rebalance.ids import InstanceId, MemberId, Queue
from tests.builders.notation import queue, queue_text
from tests.builders.records import joined, left, routed
from tests.builders.story import Story, only

STICKY = allocator("STICKY")
C = MemberId("c")
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


def another_s_owners(request: AllocationRequest) -> AllocationPlan:
    """Put STICKY's answer to another question into that to this one."""
    everything = STICKY(replace(request, candidates={C: request.candidates[C]}, current={}))
    return replace(STICKY(request), owners=everything.owners)


def another_s_owners_uncapped(request: AllocationRequest) -> AllocationPlan:
    """Do so as if there were room, too."""
    return replace(STICKY(request), owners=uncapped(request).owners)


def lifting_caps(request: AllocationRequest) -> AllocationPlan:
    """Write into the question itself that everybody has room."""
    for name, one in dict(request.candidates).items():
        request.candidates[name] = Applicant(one.topics)  # type: ignore[index] # not in its type
    return STICKY(request)


def writing(request: AllocationRequest) -> AllocationPlan:
    """Write the answer into what is meant now."""
    for it in PINNED:
        request.current[it] = C  # type: ignore[index] # not in its type
    return AllocationPlan(request.current)


def writing_by_halves(request: AllocationRequest) -> AllocationPlan:
    """Fail in the middle of it."""
    raise LookupError(writing(request).owners[PINNED[0]])


def by_union(request: AllocationRequest) -> AllocationPlan:
    """Ask of what is meant now what only a dictionary can do."""
    known: dict[Queue, MemberId] = request.current.copy()  # type: ignore[attr-defined] # nor is this
    return AllocationPlan(known | dict.fromkeys(PINNED, C))


def by_deepcopy(request: AllocationRequest) -> AllocationPlan:
    """Be careful."""
    return pinned(deepcopy(request))


def by_pickle(request: AllocationRequest) -> AllocationPlan:
    """Ask another process."""
    return pinned(pickle.loads(pickle.dumps(request)))  # noqa: S301 - these are our own bytes


def in_their_order(request: AllocationRequest) -> AllocationPlan:
    """Deal queues and members in the order in which they are named."""
    names = list(request.candidates)
    return AllocationPlan({it: names[at % len(names)] for at, it in enumerate(request.current)})


def own(*, strategy: Allocator) -> Allocator:
    """Make what a setting names."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        return (strategy if "c" in request.candidates else STICKY)(request)

    return allocate


def named(factory: str, **options: object) -> Allocator:
    """Return what a controller would use."""
    return allocator(f"{__name__}:{factory}", options)


def two_at_work(strategy: Allocator) -> Story:
    """Let them share six queues, as STICKY says; the strategy is asked when c comes."""
    story = Story(allocator=named("own", strategy=strategy))
    story.reads(joined("a"), joined("b"), routed("orders", 6))
    return story


def meant(story: Story) -> dict[str, str]:
    """Return the target."""
    return {queue_text(it): name for it, name in sorted(story.state.target.owners.items())}


@pytest.mark.parametrize(
    "strategy",
    [pinned, asked_again, another_s_owners, writing, by_union, by_deepcopy, by_pickle],
)
def test_what_is_altered_is_carried_out(strategy: Allocator) -> None:
    """Nothing that was said of another answer keeps a queue where it is."""
    story = two_at_work(strategy)
    story.reads(joined("c"))
    story.settles()

    assert ["c", "c"] == [story.owners()[queue_text(it)] for it in PINNED]
    assert meant(story) == story.owners()
    assert [] == only(GroupAiled, story.decided)


def test_what_is_altered_is_checked() -> None:
    """The stranger gets nothing, and it is said why."""
    story = two_at_work(pinned_to_a_stranger)
    before = meant(story)
    story.reads(joined("c"))

    [ailed] = only(GroupAiled, story.decided)
    assert "was given to nobody, which is no candidate" in ailed.reason
    assert before == meant(story)


@pytest.mark.parametrize(
    "strategy", [pinned, uncapped, another_s_owners, another_s_owners_uncapped, lifting_caps]
)
def test_what_is_altered_is_counted(strategy: Allocator) -> None:
    """A capacity holds under every strategy."""
    story = two_at_work(strategy)
    story.reads(joined("c", capacity=1))

    assert 1 == list(meant(story).values()).count("c")


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(
    "strategy",
    [
        pinned,
        asked_again,
        uncapped,
        another_s_owners,
        another_s_owners_uncapped,
        writing,
        writing_by_halves,
        by_union,
        by_deepcopy,
        by_pickle,
        in_their_order,
    ],
)
def test_the_same_is_decided_with_the_memory_and_with_what_is_stored(
    strategy: Allocator, *, replaced: bool
) -> None:
    """There the owners are a plain dictionary, and here they know who was replaced meanwhile."""
    whole, stored = two_at_work(strategy), two_at_work(strategy)
    static, again = (joined(it, instance=InstanceId("i")) for it in ("s", "s2"))
    for story in (whole, stored):
        story.reads(static)
    target = stored.state.target
    backwards = sorted(target.owners.items(), reverse=True)
    stored.state = replace(stored.state, target=replace(target, owners=dict(backwards)))
    for story in (whole, stored):
        story.reads(joined("c", capacity=2), *([again] if replaced else []))

    assert whole.pages() == stored.pages()
    assert meant(whole) == meant(stored)
    assert whole.state.ailment == stored.state.ailment


@pytest.mark.parametrize(
    "options",
    [{}, {"broker_racks": {"": "east"}}, {"queue_weights": {"orders": [["", 1, 2]]}}],
    ids=["plain", "racks", "weights"],
)
def test_ours_are_asked_and_believed_as_they_are(options: dict[str, object]) -> None:
    """Else each queue of a large group would be looked at for one that moves."""
    ours = allocator("STICKY", options)
    asked: list[AllocationRequest] = []
    plans: list[AllocationPlan] = []

    def noting(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        plans.append(ours(request))
        return plans[-1]

    story = Story(allocator=noting)
    story.reads(joined("a"), routed("orders", 4))
    story.reads(joined("b"))

    assert plans[0].owners is asked[1].current
    assert plans[1].owners is story.state.target.owners
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
    strategy = named("with_one_dictionary")
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


def test_what_is_written_before_it_fails_is_of_no_account() -> None:
    """The old target stays, as it was."""
    story = two_at_work(writing_by_halves)
    before = meant(story)
    story.reads(joined("c"))

    [ailed] = only(GroupAiled, story.decided)
    assert "LookupError: c" in ailed.reason
    assert before == meant(story)


def with_a_refusal() -> Allocator:
    """Say that something was not answered."""
    return lambda request: replace(STICKY(request), refusal="no rack for orders")


def test_a_refusal_is_what_the_group_says_of_it() -> None:
    """The rest is carried out."""
    story = Story(allocator=named("with_a_refusal"))
    story.reads(joined("a"), routed("orders", 2))

    [ailed] = only(GroupAiled, story.decided)
    assert "no rack for orders" == ailed.reason
    assert {"a"} == set(meant(story).values())


def with_canaries() -> Allocator:
    """Choose one of this list."""
    return allocator("CANARY", {"prefix": "canary-", "percent": 50})


def test_one_that_keeps_queues_apart_is_known_to() -> None:
    """Else heirs would be of the other side."""
    story = Story(Policy(standing_heirs=True), named("with_canaries"))
    names = ("a", "b", "canary-a", "canary-b")
    story.reads(*(joined(it) for it in names), routed("orders", 8))
    target = story.state.target

    assert 8 == len(target.heirs)
    for it, heir in target.heirs.items():
        assert heir.startswith("canary") == target.owners[it].startswith("canary")
