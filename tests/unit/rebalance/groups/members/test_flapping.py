"""Flapping: who rests, for how long, and what is forgotten when."""

from dataclasses import replace

import pytest

from rebalance.groups.members import flapping
from rebalance.groups.model.decisions import MemberChanged
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Incarnation, InstanceId, Life, MemberId, Millis
from tests.builders.group import a_group
from tests.builders.records import beat_of, joined, left, routed
from tests.builders.story import Story, only

A = MemberId("a")
LIFE = Life(A, Incarnation("1"))
POLICY = Policy(flap_limit=4, flap_half_life_ms=Millis(60_000))


def departed(times: int, *, at: int = 0) -> Draft:
    """A group that a member left so many times."""
    draft = a_group().with_member("a").drafted(POLICY)
    for _ in range(times):
        flapping.went(draft, A, draft.membership.members[A], Millis(at))
    return draft


@pytest.mark.parametrize(
    ("departures", "clock", "expected"),
    [
        (3, 0, None),
        (4, 0, 60_000),
        (4, 59_999, 60_000),
        (4, 60_000, None),
        (8, 0, 120_000),
        (8, 70_000, 120_000),
        (100, 0, 180_000),
    ],
)
def test_rest_lasts_until_the_count_has_fallen_to_half_the_limit(
    departures: int, clock: int, expected: int | None
) -> None:
    """Each half-life halves it; and no past is so bad that it takes more than three."""
    rest = flapping.rest(departed(departures), LIFE, None, Millis(clock))

    assert expected == (None if rest is None else rest.until)


def test_a_past_belongs_to_the_instance() -> None:
    """A pod that is started anew under another name has the same past."""
    draft = departed(4)
    instance = InstanceId("a")

    rest = flapping.rest(draft, LIFE._replace(member=MemberId("another")), instance, Millis(0))

    assert flapping.Rest(Millis(60_000), "it comes and goes, 4 times lately") == rest


def test_a_flood_of_names_does_not_fill_the_book() -> None:
    """Whoever comes once and goes is no flapping member; those that are known still count."""
    draft = a_group().with_member("a").drafted(replace(POLICY, max_members=2))
    for name in ("a", "b", "c", "a", "d"):
        flapping.went(draft, MemberId(name), draft.membership.members[A], Millis(0))

    assert {"a": 2, "b": 1} == {name: flaps.count for name, flaps in draft.membership.flaps.items()}


def test_a_full_book_has_room_again_when_its_names_have_faded() -> None:
    """A flood is over at some time."""
    draft = a_group().with_member("a").drafted(replace(POLICY, max_members=2))
    for name in ("b", "c"):
        flapping.went(draft, MemberId(name), draft.membership.members[A], Millis(0))
    flapping.went(draft, A, draft.membership.members[A], Millis(60_000))

    assert "a" in draft.membership.flaps.merged()


def test_what_has_faded_is_not_kept() -> None:
    """The book does not grow with everybody who ever left."""
    draft = departed(2)
    flapping.forget(draft, Millis(60_000))
    assert {"a"} == draft.membership.flaps.merged().keys()

    flapping.forget(draft, Millis(120_000))
    assert set() == draft.membership.flaps.merged().keys()


def test_nobody_rests_when_everybody_would_have_to() -> None:
    """A crash loop of the whole fleet must not leave the queues to nobody (C12)."""
    story = Story(policy=POLICY)
    story.reads(joined("a"), routed("orders", 1))
    for number in range(1, 6):
        before, after = (f"a:{n}" if n > 1 else "a" for n in (number, number + 1))
        story.reads(left(before))
        story.reads(joined(after))

    assert ["a"] == list(story.owners().values())
    assert story.state.membership.members[A].resting_until is not None


def test_what_nobody_else_could_work_on_does_not_rest() -> None:
    """A member that rests keeps the topics of which it is the only subscriber, and only those."""
    story = Story(policy=POLICY)
    story.reads(joined("a", "users"), routed("users", 1))
    for number in range(1, 7):
        story.reads(joined(f"b:{number}", "users orders"))
        story.waits(seconds=1)
    story.reads(routed("orders", 1))

    assert {"users-0": "a", "orders-0": "b"} == story.owners()
    assert story.state.membership.members[MemberId("b")].resting_until is not None


def test_an_instance_that_many_have_is_nobodys_past() -> None:
    """A rolling deploy of containers that all claim one instance puts none of them to rest."""
    story = Story(policy=replace(POLICY, on_twin_instance=TwinRule.SEPARATE))
    shared = InstanceId("image")
    story.reads(*(joined(f"old{n}", instance=shared) for n in range(5)))
    story.reads(*(left(f"old{n}") for n in range(5)))
    story.reads(*(joined(f"new{n}", instance=shared) for n in range(5)))

    assert [None] * 5 == [
        member.resting_until for member in story.state.membership.members.values()
    ]


def test_lives_that_come_together_count_once() -> None:
    """While Kafka was away a member began one after another, and none of them worked."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.waits(seconds=9)
    for number in range(2, 6):
        story.reads_late(*(joined(f"a:{number}{it}") for it in range(4)), apart=0.01)
        story.waits(seconds=9)

    assert {"a": 4} == {name: flaps.count for name, flaps in story.state.membership.flaps.items()}


def test_who_starts_again_and_again_is_counted_each_time() -> None:
    """Also if it ends before its first beat."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads_late(*(joined(f"a:{it}") for it in range(2, 6)), apart=0.6)

    assert {"a": 4} == {name: flaps.count for name, flaps in story.state.membership.flaps.items()}


def test_a_return_by_another_name_is_no_flapping() -> None:
    """It left for a while and is back, as its instance says: its old name has left, not flapped."""
    story = Story(POLICY)
    story.reads(joined("a-0", instance=InstanceId("i")), routed("orders", 1))
    for number in range(1, 7):
        story.reads(left(f"a-{number - 1}", temporary=True))
        story.reads(joined(f"a-{number}", instance=InstanceId("i")))
    ends = [it.change for it in only(MemberChanged, story.decisions) if it.member == "a-0"]

    assert {} == story.state.membership.flaps
    assert {"orders-0": "a-6"} == story.owners()
    assert ["joined", "away", "left"] == ends


def test_who_comes_and_goes_is_named_in_the_history() -> None:
    """Also where everybody does, and so nobody rests: each life that begins says it."""
    story = Story(POLICY)
    story.reads(joined("a:1"), routed("orders", 2))
    details = []
    for number in range(1, 6):
        story.reads(left(f"a:{number}", sequence=9))
        back = story.reads(joined(f"a:{number + 1}"))
        details += [it.cause.detail for it in only(MemberChanged, back)]

    assert ["", "", "", "it comes and goes, 4 times lately"] == details[:4]
    assert "it comes and goes, 5 times lately" == details[4]


def test_the_history_says_when_a_rest_begins_and_ends() -> None:
    """With the member's return, until when by the broker's clock; and again when it is over."""
    story = Story(policy=POLICY)
    story.reads(joined("a"), routed("orders", 1))
    for number in range(1, 6):
        story.reads(joined(f"b:{number}"))
        story.reads(left(f"b:{number}"))
    story.reads(joined("b:6"))
    (entry,) = only(MemberChanged, story.decided)
    assert entry.resting_until is not None
    assert 60_000 >= entry.resting_until - story.wall > 0

    while story.wall < entry.resting_until + 2_000:
        story.reads(beat_of("a"), beat_of("b:6"))
        story.waits(seconds=5)
    over = [it for it in only(MemberChanged, story.decisions) if it.change == "rested"]
    assert ["b"] == [it.member for it in over]
    assert 0 <= over[0].at - entry.resting_until <= 5_000
