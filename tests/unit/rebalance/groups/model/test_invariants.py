"""What the state says of itself is asserted: a step that would break it ends in an error."""

from collections.abc import Callable

import pytest

from rebalance.errors import BrokenInvariant
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Flaps
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.route import Doubt, Route
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.ids import Epoch, MemberId, Millis, TopicName
from tests.builders.group import BEGINNING, a_group
from tests.builders.notation import life, queue

GROUP = (
    a_group()
    .with_member("a", "orders")
    .with_member("b", "orders")
    .with_route("orders", 2)
    .with_page("orders-0", "a@1")
    .with_target("orders-0", "a")
    .at_epoch(3)
)
A, NOBODY, AT, LATER = MemberId("a"), MemberId("x"), Millis(1), Epoch(4)
QUEUE, NO_QUEUE = queue("orders-0"), queue("orders-9")
UNHEARD_OF = TopicName("payments")
OF_A_LATER_EPOCH = a_group().with_page("orders-0", "b@4").state.handover.books[QUEUE]
Breach = Callable[[Draft], object]


def closed(draft: Draft, *, epoch: Epoch = Epoch(3), group_epoch: Epoch = Epoch(3)) -> GroupState:
    """End the step."""
    return draft.closed(epoch, group_epoch, Outbox(BEGINNING), None)


def gone_twice(draft: Draft) -> None:
    """More have come and gone than may be members."""
    for name in ("a", "b", "c"):
        draft.membership.flaps.put(name, Flaps(1, AT))


def stands_by_for_itself(draft: Draft) -> None:
    """A member would take over from itself."""
    draft.target.heirs, draft.target.redealt = {QUEUE: A}, [QUEUE]


def stands_by_for_nobody(draft: Draft) -> None:
    """A member would take over what nobody owns."""
    draft.target.heirs, draft.target.redealt = {NO_QUEUE: A}, [NO_QUEUE]


def changed(part: str, field: str, value: object) -> Breach:
    """Write a field of a part."""
    return lambda draft: setattr(getattr(draft, part), field, value)


BREACHES: dict[str, tuple[Breach, str]] = {
    "a member without a pulse": (lambda it: it.membership.pulses.remove(A), "one pulse"),
    "a suspect who is no member": (
        lambda it: it.membership.suspected.put(NOBODY, AT),
        "x is suspected, and no member",
    ),
    "too many comings and goings": (gone_twice, "flaps are bounded"),
    "empty with members": (changed("membership", "empty_since", AT), "is not empty"),
    "a loose queue of nobody's": (changed("handover", "loose", [NO_QUEUE]), "loose queue"),
    "a stranger who is a member": (
        changed("handover", "strangers", {life("a"): AT}),
        "is no stranger",
    ),
    "told by a later record": (changed("handover", "posted", {LATER: AT}), "asked after epoch 3"),
    "asked by a later record": (
        changed("handover", "asked_causes", {LATER: BEGINNING}),
        "asked after epoch 3",
    ),
    "a page of a later epoch": (
        lambda it: it.handover.books.put(QUEUE, OF_A_LATER_EPOCH),
        "of a later epoch than 3",
    ),
    "an end without a pause": (changed("rules", "paused_until", AT), "no end of a pause"),
    "an end for people without a pause": (changed("rules", "pause_ends", AT), "no end of a pause"),
    "a command obeyed twice": (changed("rules", "obeyed", ("c", "c")), "obeyed twice"),
    "its own standing heir": (stands_by_for_itself, "a stands by for a"),
    "a standing heir of nobody": (stands_by_for_nobody, "a stands by for None"),
    "a shortage of nothing": (changed("target", "shortage", {"full": 0}), "a shortage has queues"),
    "a target of a later group": (changed("target", "epoch", LATER), "the target is of epoch 4"),
    "a doubt about nothing": (
        lambda it: it.topics.doubts.put(UNHEARD_OF, Doubt(Route(1, exists=False, queues=()), AT)),
        "is doubted, and has no route",
    ),
    "a strategy that failed for a later group": (
        lambda it: setattr(it, "ailment", Ailment("it failed", tried=LATER)),
        "tried for 4",
    ),
}


def test_a_sound_group_can_be_closed() -> None:
    """What these tests begin with breaks nothing, so what they break is all that is wrong."""
    draft = GROUP.drafted(Policy(max_members=2))
    for part in ("topics", "target", "handover", "rules"):  # each is opened when it is asked for
        assert getattr(draft, part) is not None

    assert closed(draft) == GROUP.state


@pytest.mark.parametrize(("breach", "said"), BREACHES.values(), ids=BREACHES)
def test_a_state_that_contradicts_itself_is_not_made(breach: Breach, said: str) -> None:
    """Nothing of such a step may be published."""
    draft = GROUP.drafted(Policy(max_members=2))
    breach(draft)

    with pytest.raises((AssertionError, BrokenInvariant), match=said):
        closed(draft)


def test_the_epochs_of_a_group_are_in_order() -> None:
    """A group did not change after it last decided anything."""
    with pytest.raises(AssertionError, match="the group changed at 4"):
        closed(GROUP.drafted(), group_epoch=LATER)


def test_the_cause_of_the_last_change_is_not_forgotten() -> None:
    """Once a group has changed, it is known why."""
    with pytest.raises(AssertionError, match="no cause"):
        GROUP.drafted().closed(Epoch(3), Epoch(3), Outbox(None), None)


def test_what_was_entered_under_other_rules_stays_valid() -> None:
    """A group that remembers more comings and goings than it may have members now is sound."""
    draft = GROUP.drafted(Policy(max_members=3))
    gone_twice(draft)

    assert 3 == len(closed(Draft(closed(draft), Policy(max_members=1))).membership.flaps)
