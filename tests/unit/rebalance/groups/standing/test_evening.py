"""A newcomer stands heir to its share, and no deal changes more than two shares for it."""

from collections import Counter

from rebalance.groups.standing.dealing import deal
from rebalance.ids import MemberId
from tests.unit.rebalance.groups.standing.groups import dealt, member, members, owned, queue

PLAIN = {f"m{it}": member("t") for it in range(8)}
OWNERS = {f"m{it}": f"t{2 * it} t{2 * it + 1}" for it in range(8)}
"""Two queues each."""
LATER = {**OWNERS, "new": "t16 t17"}
NEW = [queue("t16"), queue("t17")]
WEST = member("t", rack="west")


def test_a_newcomer_takes_over_its_share() -> None:
    """All but one of it, from those that stand heir to most."""
    before = dealt(PLAIN, OWNERS)
    candidates = members({**PLAIN, "new": member("t")})
    after = deal(before.standing, candidates, owned(LATER), NEW)
    burdens = Counter(after.standing.heirs().values())

    assert burdens[MemberId("new")] >= 1
    assert max(burdens.values()) <= 3
    assert len(after.changes) <= 4


def test_a_newcomer_of_another_rack_does_not_take_a_near_heir_s_place() -> None:
    """An heir in the owner's rack is worth more than an even burden."""
    before = dealt({name: member("t", rack="east") for name in PLAIN}, OWNERS)
    candidates = members({**dict.fromkeys(PLAIN, member("t", rack="east")), "new": WEST})

    assert set(NEW) == deal(before.standing, candidates, owned(LATER), NEW).changes.keys()


def test_where_everybody_is_heir_of_everybody_nothing_is_evened_out() -> None:
    """Each holding is even by itself: five queues of each over two others."""
    candidates = {name: member("t") for name in "abc"}
    owners = {
        name: " ".join(f"t{5 * place + it}" for it in range(5)) for place, name in enumerate("abc")
    }
    heirs = dealt(candidates, owners).standing

    assert {} == deal(heirs, members(candidates), owned(owners), ()).changes
