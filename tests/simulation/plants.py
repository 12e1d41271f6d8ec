"""Mistakes to plant in the brain, each one that somebody might make.

A plant replaces one function by one that is wrong in one respect. ``test_mutations`` proves that
the simulation finds each of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from audit.violations import Invariant
from rebalance.allocation import Allocator
from rebalance.causes import Cause
from rebalance.groups.members.twins import Rival
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Portion
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp
from tests.simulation import clocks, deaf, lives
from tests.simulation.baton_plants import BATON_PLANTS
from tests.simulation.forgotten import (
    epoch_forgotten_with_the_group,
    epoch_swept_with_the_rest,
    last_word_not_read,
    nothing_withheld,
)
from tests.simulation.named import NAMED
from tests.simulation.plant import OWNERS, Function, Plant
from tests.simulation.scenario import Quirk
from tests.simulation.target_plants import TARGET_PLANTS


def expiry_off_by_one(right: Function) -> Function:
    """A session ends a millisecond early."""

    def wrong(draft: Draft) -> dict[MemberId, int]:
        return {name: end - 1 for name, end in right(draft).items()}

    return wrong


def revocation_counted_from_the_telling(right: Function) -> Function:
    """Nobody is given the time to read that it was told to let go."""

    def wrong(draft: Draft, member: Member) -> Millis:
        patience: Millis = right(draft, member)
        return patience if member.eager else member.revocation_timeout_ms

    return wrong


def twin_not_fenced(right: Function) -> Function:
    """The older of two lives keeps what it has."""

    def wrong(draft: Draft, event: Joined, rivals: Iterable[Rival]) -> None:
        right(draft, event, [it for it in rivals if it.rule is not TwinRule.FENCE_OLDER])

    return wrong


def target_computed_twice(right: Function) -> Function:
    """The strategy is asked again, in view of its own first answer."""

    def wrong(draft: Draft, allocator: Allocator, clock: Millis) -> int:
        right(draft, allocator, clock)
        moves: int = right(draft, allocator, clock)
        return moves

    return wrong


def evictions_not_held(right: Function) -> Function:
    """Silence is believed, however many are silent."""

    def wrong(draft: Draft, silent: Sequence[MemberId], stamp: Stamp) -> Sequence[MemberId]:
        right(draft, silent, stamp)
        return silent

    return wrong


def mute_members_fenced_for_their_queues(right: Function) -> Function:
    """Whoever keeps a queue for too long goes, whether or not it could be heard."""
    del right
    return lambda _draft, _name, _stamp: False


def half_of_a_portion_told(right: Function) -> Function:
    """A record names half of what the books have for its member."""

    def wrong(
        draft: Draft, state: GroupState, name: MemberId, portion: Portion, cause: Cause
    ) -> AssignmentIssued:
        half = replace(portion, hold=portion.hold[: (len(portion.hold) + 1) // 2])
        issued: AssignmentIssued = right(draft, state, name, half, cause)
        return issued

    return wrong


PATIENCE = frozenset({Invariant.PATIENT})
COUNTED = frozenset({Invariant.EPOCHS_GROW, Invariant.TOKENS_GROW})
PLANTS = {
    **BATON_PLANTS,
    **NAMED,
    **TARGET_PLANTS,
    "expiry off by one": Plant(
        "rebalance.groups.timers._sessions",
        expiry_off_by_one,
        PATIENCE | {Invariant.LIVELY},
        frozenset({Quirk.EDGES}),
        first=1186,
    ),
    "revocation counted from the telling": Plant(
        "rebalance.groups.timers._patience",
        revocation_counted_from_the_telling,
        OWNERS,
        lives=lives.slow_hands,
        first=407,
    ),
    "clock step unlimited": Plant(
        "rebalance.clock.LogClock.advanced", clocks.clock_step_unlimited, PATIENCE
    ),
    "ticks count however far behind": Plant(
        "rebalance.clock.LogClock.ticked",
        clocks.ticks_count_however_far_behind,
        PATIENCE,
        lives=lives.slow_hands_behind,
    ),
    "decided before all was told": Plant(
        "tests.simulation.behind.passed",
        clocks.decided_before_all_was_told,
        frozenset({Invariant.EPOCHS_GROW, Invariant.LIVELY}) | OWNERS,
        lives=lives.behind,
    ),
    "opened without the word": Plant(
        "tests.simulation.behind.passed",
        clocks.opened_without_the_word,
        frozenset({Invariant.EPOCHS_GROW}) | OWNERS,
        lives=lives.behind,
    ),
    "what is told not counted": Plant(
        "streaming.cell.gate.is_whole",
        clocks.not_counted,
        frozenset({Invariant.EPOCHS_GROW, Invariant.LIVELY}) | OWNERS,
        lives=lives.behind,
    ),
    "clock stopped by a wrong stamp": Plant(
        "rebalance.clock.LogClock.advanced",
        clocks.clock_stopped_by_a_wrong_stamp,
        frozenset({Invariant.LIVELY}),
        first=20,
    ),
    "clocks that take turns forgotten": Plant(
        "rebalance.clock.LogClock.advanced",
        clocks.clocks_that_take_turns_forgotten,
        frozenset({Invariant.LIVELY}),
        lives=lives.wrong_stamps,
    ),
    "late joins read by their times": Plant(
        "streaming.cell.skew.Skew.heard",
        clocks.late_joins_read_by_their_times,
        PATIENCE,
        lives=lives.late_joins,
    ),
    "jumps ahead never paid for": Plant(
        "rebalance.clock.LogClock.advanced",
        clocks.jumps_ahead_never_paid_for,
        OWNERS | PATIENCE,
        lives=lives.wrong_stamps,
    ),
    "twin not fenced": Plant(
        "rebalance.groups.members.entry._make_way", twin_not_fenced, OWNERS | {Invariant.TOTAL}
    ),
    "successor not respected": Plant(
        "rebalance.groups.members.twins._is_replaced",
        deaf.successor_not_respected,
        frozenset({Invariant.SUCCEEDED}),
        frozenset({Quirk.INSTANCES}),
        first=207,
    ),
    "never told again": Plant(
        "rebalance.groups.members.unread.heed",
        deaf.never_told_again,
        frozenset({Invariant.LIVELY}),
        frozenset({Quirk.LOST_READS}),
    ),
    "told again at once": Plant(
        "rebalance.groups.members.unread.heed",
        deaf.told_again_at_once,
        frozenset({Invariant.CALM}),
    ),
    "target computed twice": Plant(
        "rebalance.groups.target.retarget",
        target_computed_twice,
        frozenset({Invariant.FEW_TARGETS}),
    ),
    "mute members fenced for their queues": Plant(
        "rebalance.groups.members.mass_silence.is_mute",
        mute_members_fenced_for_their_queues,
        PATIENCE,
        lives=lives.cut_off,
    ),
    "half of a portion told": Plant(
        "rebalance.groups.conclusion._issued", half_of_a_portion_told, frozenset({Invariant.TOLD})
    ),
    "epoch forgotten with the group": Plant(
        "rebalance.groups.model.draft.Draft.wipe",
        epoch_forgotten_with_the_group,
        COUNTED | {Invariant.TOTAL},  # the target's epoch is above the group's
        lives=lives.retiring,
        first=12,
    ),
    "epoch swept with the rest": Plant(
        "rebalance.groups.members.remains.kept",
        epoch_swept_with_the_rest,
        COUNTED,
        lives=lives.retiring,
    ),
    "nothing withheld after half an adoption": Plant(
        "rebalance.groups.handover.omissions.withholds",
        nothing_withheld,
        frozenset({Invariant.ONE_WORKER}),
        lives=lives.half_told,
        first=95,
    ),
    "last word not read": Plant(
        "streaming.startup.published.PublishedState.keep_summary",
        last_word_not_read,
        COUNTED,
        lives=lives.retiring,
    ),
    "evictions not held": Plant(
        "rebalance.groups.members.mass_silence.believed", evictions_not_held, PATIENCE
    ),
}
