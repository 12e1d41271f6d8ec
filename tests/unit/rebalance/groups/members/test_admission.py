"""What becomes of a join: one row for each outcome and each way to it."""

from dataclasses import replace
from typing import assert_never

import pytest

from rebalance.groups.handover import omissions
from rebalance.groups.members.admission import (
    Admitted,
    Late,
    Refused,
    Renewed,
    Repeated,
    TurnedAway,
    Yielded,
    judged,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Mode
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import InstanceId, Millis
from tests.builders.group import GroupBuilder, a_group
from tests.builders.records import MemberRecord, at, joined, left, wild
from tests.builders.rosters import enter

HERS = InstanceId("i")
ONE = a_group().with_member("a", sequence=5)
HAS_IT = ONE.with_instance("a", "i")
PATTERNED = a_group().with_member("a", "pay*", sequence=5)

USUAL = Policy()
FULL = Policy(max_members=1)
STRICT = Policy(max_patterns=1)
FIRST_STAYS = Policy(on_twin=TwinRule.REFUSE_NEWER, on_twin_instance=TwinRule.REFUSE_NEWER)
IN_TURN = Policy(on_twin_instance=TwinRule.HAND_OVER)
APART = Policy(on_twin=TwinRule.SEPARATE, on_twin_instance=TwinRule.FENCE_OLDER)
FULL_TOO = replace(FIRST_STAYS, max_members=1)


def seen(draft: Draft, record: MemberRecord) -> str:
    """Judge a join; name the outcome and what it says of others, in a word or two."""
    event = record(at(0))
    assert isinstance(event, Joined)
    outcome = judged(draft, event)
    match outcome:
        case Refused():
            said = f": {outcome.reason}"
        case Repeated():
            said = "" if outcome.refused is None else f", refused: {outcome.refused.reason}"
        case Yielded():
            said = "".join(f" to {rival.name}" for rival in outcome.to)
        case Renewed():
            said = "" if outcome.member != outcome.known else ", the same"
        case Admitted():
            said = "" if outcome.known is None else " again"
            said += "".join(f", {rival.name} by {rival.rule}" for rival in outcome.rivals)
        case Late() | TurnedAway():
            said = ""
        case _:
            assert_never(outcome)
    return type(outcome).__name__.lower() + said


OUTCOMES = {
    # what is: (group, policy, join, what becomes of it)
    "nobody is there": (a_group(), USUAL, joined("a"), "admitted"),
    "another one": (ONE, USUAL, joined("b"), "admitted"),
    "said again": (ONE, USUAL, joined("a", sequence=5), "renewed, the same"),
    "said late": (ONE, USUAL, joined("a", "payments", sequence=4), "repeated"),
    "another wish": (ONE, USUAL, joined("a", "payments", sequence=6), "renewed"),
    "a younger life": (ONE, USUAL, joined("a:2"), "admitted again, a by fence-older"),
    "an older life": (a_group().with_member("a:2"), USUAL, joined("a"), "late"),
    "no room": (ONE, FULL, joined("b"), "refused: too_many_members"),
    "room for a restart": (ONE, FULL, joined("a:2"), "admitted again, a by fence-older"),
    "room for a successor": (
        HAS_IT,
        FULL,
        joined("b", instance=HERS),
        "admitted, a by fence-older",
    ),
    "no room beside who keeps it": (
        HAS_IT,
        FULL_TOO,
        joined("b", instance=HERS),
        "refused: too_many_members",
    ),
    "too many patterns": (
        ONE,
        STRICT,
        joined("b", patterns=wild("pay* or*")),
        "refused: too_many_patterns",
    ),
    "too many patterns of a member": (
        ONE,
        STRICT,
        joined("a", sequence=6, patterns=wild("pay* or*")),
        "repeated, refused: too_many_patterns",
    ),
    "its own patterns": (
        PATTERNED,
        STRICT,
        joined("a:2", patterns=wild("or*")),
        "admitted again, a by fence-older",
    ),
    "the first of a name stays": (ONE, FIRST_STAYS, joined("a:2"), "yielded to a"),
    "the first of an instance stays": (
        HAS_IT,
        FIRST_STAYS,
        joined("b", instance=HERS),
        "yielded to a",
    ),
    "one of two stays": (
        HAS_IT.with_member("b"),
        replace(FIRST_STAYS, on_twin=TwinRule.FENCE_OLDER),
        joined("b:2", instance=HERS),
        "yielded to a",
    ),
    "both make way": (
        HAS_IT.with_member("b"),
        USUAL,
        joined("b:2", instance=HERS),
        "admitted again, b by fence-older, a by fence-older",
    ),
    "in turn": (HAS_IT, IN_TURN, joined("b", instance=HERS), "admitted, a by hand-over"),
    "a late life of a name told apart": (
        a_group().with_member("a@2:2").with_instance("a@2:2", "i"),
        APART,
        joined("a@1:1", instance=HERS),
        "turnedaway",
    ),
}


@pytest.mark.parametrize(
    ("group", "policy", "record", "expected"), OUTCOMES.values(), ids=OUTCOMES.keys()
)
def test_outcome(group: GroupBuilder, policy: Policy, record: MemberRecord, expected: str) -> None:
    """Each join has one outcome, and while it is judged nothing is written."""
    draft = group.drafted(policy)

    assert expected == seen(draft, record)
    assert draft.is_quiet
    assert (group.state.membership.pulses, {}) == (draft.membership.pulses.merged(), draft.ended)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (joined("a", sequence=7), "turnedaway"),
        (joined("a", sequence=8), "turnedaway"),
        (joined("a:0", sequence=99), "turnedaway"),
        (joined("a", sequence=9), "admitted"),
        (joined("a:2", sequence=1), "admitted"),
    ],
    ids=["before", "as it left", "an older life", "after", "a younger life"],
)
def test_a_life_that_has_left_is_turned_away(record: MemberRecord, expected: str) -> None:
    """Unless it says that it is back: its old records may still arrive (F11)."""
    draft = ONE.drafted()
    enter(draft, left("a", sequence=8)(at(0)))

    assert expected == seen(draft, record)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (joined("b"), "turnedaway"),
        (joined("b", mode=Mode.SHARED), "admitted"),
        (joined("b", eager=True), "admitted"),
        (joined("a:2"), "admitted again, a by fence-older"),
    ],
    ids=["a stranger", "one that owns nothing", "one that obeys its record", "a restart"],
)
def test_a_life_that_may_not_have_been_found_is_turned_away(
    record: MemberRecord, expected: str
) -> None:
    """While some published records are missing, nobody knows what it believes it owns."""
    draft = ONE.drafted()
    omissions.withhold(draft, Millis(0))

    assert expected == seen(draft, record)
