"""What a deal looks at, what it changes, and that it needs no memory."""

import pytest

from rebalance.groups.standing.dealing import Standing, deal
from rebalance.ids import MemberId, Queue
from tests.unit.rebalance.groups.standing.groups import dealt, member, members, owned, queue, told

MANY = 400
EACH = 4
PLAIN = members({f"m{it:03}": member("t") for it in range(MANY)})
OWNERS = {
    Queue(queue("t0").topic, queue("t0").broker, it): MemberId(f"m{it // EACH:03}")
    for it in range(MANY * EACH)
}


@pytest.fixture(scope="module")
def begun() -> Standing:
    """A group of equals with four queues each, all dealt."""
    return deal(Standing(), PLAIN, OWNERS, None).standing


def test_nothing_new_costs_nothing(begun: Standing) -> None:
    """No queue is looked at, and nothing changes."""
    again = deal(begun, PLAIN, OWNERS, ())

    assert ({}, 0) == (again.changes, again.looked)


def test_a_leave_looks_at_few_queues(begun: Standing) -> None:
    """Its heirs take over, and those that it was heir to have another: two shares of queues.

    Looked at are the holdings of those whose heirs it was and, for each that took over, of those
    whose heir that one is.
    """
    leaver = MemberId("m200")
    candidates = {name: one for name, one in PLAIN.items() if name != leaver}
    aimed = [it for it, owner in OWNERS.items() if owner == leaver]
    owners = OWNERS | {it: heir for it in aimed if (heir := begun.heir_of(it)) is not None}
    after = deal(begun, candidates, owners, aimed)

    assert len(after.changes) <= 2 * (EACH + 1)
    assert after.looked <= (EACH + 1) * (EACH + 1) * (EACH + 2) * 2
    assert all(after.standing.heir_of(it) not in {None, leaver} for it in OWNERS)


def test_a_join_looks_at_few_queues(begun: Standing) -> None:
    """A newcomer takes over a share of queues, and stands heir to a share."""
    newcomer = MemberId("new")
    aimed = [it for it in OWNERS if not it.id % (MANY + 1)]
    owners = OWNERS | dict.fromkeys(aimed, newcomer)
    after = deal(begun, {**PLAIN, newcomer: member("t")}, owners, aimed)

    assert len(after.changes) <= 2 * EACH
    assert after.looked <= 20 * EACH


def test_nobody_is_heir_to_a_large_part(begun: Standing) -> None:
    """Or its leaving would change a large part."""
    assert begun.register is not None
    assert max(begun.register.burdens.values()) <= EACH + 1


def test_what_was_not_aimed_at_may_be_aimed_at() -> None:
    """More queues than have changed, in any number, are no harm."""
    candidates, owners = {"a": member("t"), "b": member("t")}, {"a": "t0", "b": "t1"}
    before = dealt(candidates, owners).standing
    every = [queue("t0"), queue("t1"), queue("t0"), queue("t9")]

    assert {} == deal(before, members(candidates), owned(owners), every).changes


def test_a_queue_that_is_no_more_loses_its_heir() -> None:
    """So that whoever keeps heirs by queue can drop it."""
    candidates = {"a": member("t"), "b": member("t")}
    before = dealt(candidates, {"a": "t0 t1"}).standing
    after = deal(before, members(candidates), owned({"a": "t0"}), [queue("t1")])

    assert {"t1": None} == told(after.changes)
    assert after.standing.heir_of(queue("t1")) is None


def test_unpacked_it_goes_on_the_same() -> None:
    """Without its register, from what is stored: the same heirs and the same changes."""
    candidates = {"a": member("t"), "b": member("t"), "c": member("t")}
    before = dealt(candidates, {"a": "t0 t1", "b": "t2"}).standing
    stored = Standing(before.owners, before.heirs())
    fewer, owners, aimed = (
        members(candidates | {}),
        owned({"b": "t0 t2", "c": "t1"}),
        [
            queue("t0"),
            queue("t1"),
        ],
    )
    del fewer[MemberId("a")]
    kept, unpacked = (deal(it, fewer, owners, aimed) for it in (before, stored))

    assert before == stored
    assert before != Standing(before.owners)
    assert kept.changes == unpacked.changes
    assert kept.standing.heirs() == unpacked.standing.heirs()
    assert {"t0": "c", "t1": "b", "t2": "c"} == told(kept.standing.heirs())
