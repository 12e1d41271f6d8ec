"""Commands: obeyed once, answered once, through the same hands as everything else."""

from dataclasses import replace

import pytest

from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    DrainMember,
    EvictMember,
    Forget,
    Pause,
    RebalanceNow,
    Resume,
    UndrainMember,
)
from rebalance.groups.model.decisions import CommandAnswered, MemberChanged, PauseEnded, Rebalanced
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis, TopicName
from rebalance.stamp import Ticked
from tests.builders.records import beat_of, commanded, joined, left, registered, routed
from tests.builders.story import BIRTH_MS, Story, only, two_members

B, NOBODY = MemberId("b"), MemberId("nobody")

ANSWERS = [
    (Pause(), "done", ""),
    (Resume(), "done", ""),
    (DrainMember(B), "done", ""),
    (DrainMember(NOBODY), "refused", "nobody is not a member"),
    (UndrainMember(B), "refused", "no command drains b"),
    (UndrainMember(NOBODY), "refused", "nobody is not a member"),
    (EvictMember(B), "done", ""),
    (EvictMember(NOBODY), "refused", "nobody is not a member"),
    (RebalanceNow(), "done", ""),
    (ChooseStrategy("STICKY"), "done", ""),
    (ChoosePolicy(), "done", "the controller's again"),
    (
        ChoosePolicy(Overrides(flap_limit=9, on_twin=TwinRule.REFUSE_NEWER)),
        "done",
        "on_twin=refuse-newer, flap_limit=9",
    ),
    (
        ChoosePolicy(Overrides(blast_percent=101)),
        "refused",
        "blast_percent must lie between 0 and 100",
    ),
    (
        ChoosePolicy(Overrides(heartbeat_interval_ms=Millis(9_000))),
        "refused",
        "session_timeout must be at least twice heartbeat_interval",
    ),
    (
        ChoosePolicy(Overrides(session_timeout_ms_min=Millis(3_000))),
        "refused",
        (
            "session_timeout_min (3000 ms) must be at least 5 times controller.max_clock_step "
            "(2000 ms), or a clock that jumps ends living sessions: shorter sessions need a "
            "shorter step, and ticks and batches of beats at shorter intervals"
        ),
    ),
    (
        ChoosePolicy(Overrides(on_twin=TwinRule.SEPARATE)),
        "refused",
        "on_twin cannot be separate for one group: names are the controller's",
    ),
    (ChooseMode(TopicName("orders"), pops=True), "done", "no RocketMQ client subscribes it"),
    (
        ChooseMode(TopicName("orders"), pops=True, share_number=101),
        "refused",
        "share_number must be at most 100, or -1 for all",
    ),
    (ChooseMode(TopicName("odrers"), pops=True), "done", "no member subscribes it yet"),
    (Approve(), "refused", "no eviction and no route waits for approval"),
    (Forget(), "refused", "the group has 2 members"),
]


@pytest.mark.parametrize(("command", "outcome", "detail"), ANSWERS)
def test_a_command_is_answered(command: Command, outcome: str, detail: str) -> None:
    """With what became of it, in view of which epoch, and who gave it and why."""
    (answer,) = only(CommandAnswered, two_members().reads(commanded(command, name="c1")))

    assert (outcome, detail) == (answer.outcome, answer.detail)
    assert ("c1", command.verb, "ann", "because", 1) == (
        answer.id,
        answer.verb,
        answer.principal,
        answer.reason,
        answer.epoch,
    )


def test_the_same_id_is_the_same_command() -> None:
    """However often the log repeats it, in one batch or in many (G3)."""
    story = two_members()
    once = commanded(RebalanceNow(), name="c1")
    story.reads(once, once)
    story.reads(once)

    assert 1 == len(only(CommandAnswered, story.decisions))
    assert 2 == len(only(Rebalanced, story.decisions))


def test_a_command_given_in_view_of_another_epoch_is_not_obeyed() -> None:
    """The world changed since it was thought of (G4)."""
    story = two_members()
    story.reads(left("a"))
    (answer,) = only(CommandAnswered, story.reads(commanded(EvictMember(B), base=1)))

    assert ("conflict", "the group is at epoch 2", 2) == (
        answer.outcome,
        answer.detail,
        answer.epoch,
    )
    assert {"b"} == set(story.state.membership.members)


def test_a_conflict_names_the_epoch_it_was_in_conflict_with() -> None:
    """Also where the batch itself has drawn it: whoever asks again with that is heard."""
    story = two_members()
    (answer,) = only(
        CommandAnswered, story.reads(joined("c"), commanded(EvictMember(B), name="c1", base=1))
    )
    assert ("the group is at epoch 2", 2) == (answer.detail, answer.epoch)

    story.reads(commanded(EvictMember(B), base=answer.epoch))
    assert {"a", "c"} == set(story.state.membership.members)


def test_a_pause_in_which_nothing_happens_draws_no_epoch() -> None:
    """Who is dead is held once, however often it is looked at."""
    story = two_members()
    story.reads(commanded(Pause()))
    for _ in range(6):
        story.waits(seconds=5)
        story.reads(beat_of("a"))
    epoch = story.state.epoch
    for _ in range(6):
        story.waits(seconds=5)
        story.reads(beat_of("a"))

    assert epoch == story.state.epoch
    assert {"b"} == set(story.state.membership.suspected)


def test_of_two_commands_at_once_the_second_is_in_conflict() -> None:
    """Whether the log is cut between them or not (G3)."""
    story = two_members()
    answers = only(
        CommandAnswered,
        story.reads(*(commanded(EvictMember(MemberId(who)), base=1) for who in "ba")),
    )

    assert ["done", "conflict"] == [answer.outcome for answer in answers]
    assert {"a"} == set(story.state.membership.members)


def test_a_drain_by_command_is_a_drain() -> None:
    """The member works on until its heirs have its queues (G2)."""
    story = two_members()
    story.reads(commanded(DrainMember(B)))

    assert {"orders-0": "a@1", "orders-1": "b@1!2 > a@2"} == story.pages()


def test_an_evicted_member_is_fenced_and_told() -> None:
    """It may join again; nothing keeps it out."""
    story = two_members()
    (change,) = only(MemberChanged, story.reads(commanded(EvictMember(B), name="c1")))

    assert ("fenced", "command", "c1") == (change.change, change.cause.kind, change.cause.subject)
    assert story.records[B] is None


def test_a_paused_group_moves_nothing_and_evicts_nobody() -> None:
    """What happens meanwhile is booked, and decided in one go on resuming (G1)."""
    story = two_members()
    story.reads(commanded(Pause()))
    story.reads(joined("c"), routed("orders", 3, version=2))
    story.waits(seconds=11)
    story.reads(beat_of("a"), beat_of("c"))

    assert {"orders-0": "a@1", "orders-1": "b@1"} == story.pages()
    assert {"a", "b", "c"} == set(story.state.membership.members)

    decided = story.reads(commanded(Resume()))

    assert {"a", "c"} == set(story.state.membership.members)
    assert 1 == len(only(Rebalanced, decided))
    assert {"orders-0", "orders-1", "orders-2"} == story.pages().keys()


def test_a_hand_over_on_its_way_ends_in_a_pause() -> None:
    """An heir that was told may start at any moment: books that ignored it would be wrong."""
    story = two_members()
    story.reads(left("a"))
    story.reads(joined("c"))
    story.reads(commanded(Pause()))
    story.obeys("b")

    assert {"orders-0": "b@2", "orders-1": "c@3"} == story.pages() | {}


def test_an_eager_holder_s_time_ends_in_a_pause_too() -> None:
    """It will never say that it let go, and its heir is told when the time is over."""
    story = Story(Policy(eager_grace_ms=Millis(5_000)))
    story.reads(registered("a"), routed("orders", 2))
    story.reads(registered("b"))
    story.reads(commanded(Pause()))
    story.waits(seconds=5)

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_a_pause_may_end_by_itself() -> None:
    """At the log's own time, as the broker wrote it; people read when that is on their clocks."""
    story = two_members(policy=Policy(session_timeout_ms=Millis(60_000)))
    story.reads(commanded(Pause(until=Millis(BIRTH_MS + 10_000))), left("b"))
    assert BIRTH_MS + 10_000 == only(GroupSummarised, story.decisions)[-1].paused_until
    story.waits(seconds=9)
    assert {"orders-0": "a@1"} == story.pages()
    assert [] == only(PauseEnded, story.decisions)

    story.waits(seconds=1)
    assert {"orders-0": "a@1", "orders-1": "a@3"} == story.pages()
    assert ["its time is over"] == [it.cause.detail for it in only(PauseEnded, story.decisions)]


@pytest.mark.parametrize("was_read", [True, False])
def test_a_pause_is_over_when_its_time_is_though_no_controller_was_there(*, was_read: bool) -> None:
    """The log clock stood meanwhile: what starts again ends it, or does not begin it any more."""
    story = two_members(policy=Policy(session_timeout_ms=Millis(60_000)))
    given, pause = Millis(story.wall), commanded(Pause(until=Millis(story.wall + 60_000)))
    if was_read:
        story.reads(pause, left("b"))
        story.away(seconds=3_600)
        story.starts()
    else:
        story.away(seconds=3_600)
        story.starts(lambda stamp: pause(replace(stamp, appended=given)), left("b"))

    assert {"orders-0": "a", "orders-1": "a"} == story.owners()
    assert ["its time is over"] == [it.cause.detail for it in only(PauseEnded, story.decisions)]


def test_one_wrong_stamp_ends_no_pause_when_a_controller_starts() -> None:
    """The last record is from a broker whose clock is ahead; the last tick shows the time."""
    story = two_members()
    story.reads(commanded(Pause(until=Millis(story.wall + 3_600_000))), left("b"))
    right = Millis(story.wall)
    story.away(seconds=7_200)
    story.starts(lambda stamp: Ticked(replace(stamp, appended=right)))

    assert story.state.rules.paused
    assert [] == only(PauseEnded, story.decisions)


def test_a_strategy_of_its_own_takes_effect_with_the_next_batch() -> None:
    """The step that reads the command was begun with the old one."""
    story = two_members()
    story.reads(commanded(ChooseStrategy("STICKY")))
    assert ("STICKY", 1) == (story.state.rules.strategy, story.state.target.epoch)

    story.waits(seconds=1)
    assert story.state.group_epoch == story.state.target.epoch


@pytest.mark.parametrize(
    "command", [Pause(), RebalanceNow(), ChooseStrategy("AVG"), ChoosePolicy(), Forget()]
)
def test_a_command_to_a_group_that_does_not_exist_leaves_nothing_behind(command: Command) -> None:
    """Or anyone who may write commands could fill the state with names."""
    story = Story()
    (answer,) = only(CommandAnswered, story.reads(commanded(command)))
    assert "refused" == answer.outcome
    assert "no such group, or long without members" == answer.detail
    assert GroupState(story.state.name) == story.state


def test_a_rebalance_waits_for_no_interval_though_the_strategy_changes_as_well() -> None:
    """Another strategy is asked in the next step, which is to be at once."""
    story = Story(Policy(assignment_interval_ms=Millis(60_000)))
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    target = story.state.target.epoch
    story.reads(
        commanded(RebalanceNow(), name="c1"), commanded(ChooseStrategy("STICKY"), name="c2")
    )
    story.ticks()

    assert target < story.state.target.epoch
