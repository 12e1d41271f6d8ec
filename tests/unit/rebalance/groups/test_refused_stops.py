"""Members that are refused to be stopped: for their own queues alone, and what comes of it."""

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups import last_workers
from rebalance.groups.model.commands import Command, DrainMember, EvictMember, Pause
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.ids import MemberId
from tests.builders.records import commanded, drained, joined, routed
from tests.builders.story import Story, only

B = MemberId("b")
Stops = type[DrainMember] | type[EvictMember]
BOTH_STOPS = pytest.mark.parametrize("stops", [DrainMember, EvictMember])
FULL = "without it {} queues would have no worker; use --force to stop it anyway"


def answers(story: Story, *commands: Command) -> list[tuple[str, str]]:
    """Return the answers to commands of one batch."""
    said = only(CommandAnswered, story.reads(*map(commanded, commands)))
    return [(it.outcome.value, it.detail) for it in said]


def full(strategy: str, capacity: int = 2) -> Story:
    """Orders and payments, of which only the payments have room."""
    story = Story(allocator=allocator(strategy))
    story.reads(
        *(joined(it, capacity=capacity) for it in "ab"), *(joined(it, "pay") for it in "cde")
    )
    story.reads(routed("orders", 2 * capacity), routed("pay", 3))
    story.settles()
    return story


@BOTH_STOPS
@pytest.mark.parametrize("strategy", ["STICKY", "AVG"])
@pytest.mark.parametrize("pauses", [True, False])
def test_who_is_stopped_is_not_blamed_for_what_others_leave_to_nobody(
    stops: Stops, strategy: str, *, pauses: bool
) -> None:
    """The target does not know of them yet; and members that are alike are answered alike."""
    story = full(strategy)
    if pauses:
        story.reads(commanded(Pause()))
    drain = DrainMember(MemberId("a"), force=True)
    said = answers(story, drain, stops(MemberId("c")), stops(MemberId("d")))
    assert pauses or ["done"] * 3 == [outcome for outcome, _ in said]  # d may be an heir
    assert not any("without it" in detail for _, detail in said)


def test_who_is_stopped_is_not_blamed_for_who_drains_or_can_carry_less() -> None:
    """By itself, in the same batch; and in a pause, where no target is made."""
    story = full("STICKY")
    said = only(CommandAnswered, story.reads(drained("a"), commanded(DrainMember(MemberId("c")))))
    assert ["done"] == [it.outcome for it in said]

    story = full("STICKY")
    story.reads(commanded(Pause()))
    story.reads(joined("a", capacity=1, sequence=99))
    assert ["done"] == [outcome for outcome, _ in answers(story, DrainMember(MemberId("c")))]
    lost = FULL.format("1 of 7")
    assert [("refused", lost)] == answers(story, DrainMember(MemberId("a")))


@BOTH_STOPS
def test_a_refusal_is_overruled_in_view_of_the_same_epoch(stops: Stops) -> None:
    """Nothing has changed but that; nor has by a wrong name."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    epoch, name = story.state.epoch, MemberId("a")
    commands = [stops(MemberId("b")), stops(name), stops(name, force=True)]
    said = [
        answer.outcome
        for base, command in zip([None, epoch, epoch], commands, strict=True)
        for answer in only(CommandAnswered, story.reads(commanded(command, base=base)))
    ]
    assert ["refused", "refused", "done"] == said


@pytest.mark.parametrize("words", ["x", "x" * 400])
def test_a_strategy_that_fails_cannot_say_who_works(words: str) -> None:
    """So nobody is stopped but by force."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a", capacity=9), joined("b", capacity=9), routed("orders", 6))

    def failing(request: AllocationRequest) -> AllocationPlan:
        raise ValueError(f"{len(request.candidates)} {words}")

    story.allocator = failing
    ((outcome, said),) = answers(story, DrainMember(B))
    assert "refused" == outcome
    assert said.startswith("the strategy cannot say who would have its queues: ValueError: 1 x")
    assert said[:300].endswith("x; use --force to stop it anyway"), "as much as history says"
    assert [("done", "")] == answers(story, DrainMember(B, force=True))


def test_a_strategy_is_not_asked_about_each_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stop the controller for minutes; whoever is refused is stopped by a later batch."""
    monkeypatch.setattr(last_workers, "_WORK", 0)
    story, asked = Story(allocator=allocator("AVG")), list[AllocationRequest]()
    names = [f"m{number:02}" for number in range(60)]
    story.reads(joined("last", capacity=50), *map(joined, names), routed("orders", 100))
    story.settles()
    under, stops = story.allocator, [DrainMember(MemberId(it)) for it in names[:40]]

    def counted(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        return under(request)

    story.allocator = counted
    said = answers(story, *stops)
    assert 32 + 1 == len(asked), "the last one makes the target"
    assert [("done", "")] * 32 == said[:32]
    refused = "so many are stopped together that the strategy is not asked of each: stop it later"
    assert [("refused", f"{refused}; use --force to stop it anyway")] * 8 == said[32:]
    assert [("done", "")] * 8 == answers(story, *stops[32:])


def test_members_that_are_alike_are_refused_at_the_cost_of_one_more() -> None:
    """What the strategy would do with all of them it has said already."""
    story, asked = full("AVG"), list[AllocationRequest]()
    under = story.allocator

    def counted(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        return under(request)

    story.allocator = counted
    said = answers(story, *(DrainMember(MemberId(it)) for it in "abab"))
    assert [("refused", FULL.format("2 of 7"))] * 4 == said
    assert 2 + 1 == len(asked)
