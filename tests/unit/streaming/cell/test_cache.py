"""The cache: what is kept in memory is what the bytes say."""

from dataclasses import replace

from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch
from streaming.cell.cache import Cache
from streaming.cell.packed import pack, unpack
from tests.builders.group import GroupBuilder, a_group

GROUP = a_group().with_member("a", seen=1).with_route("orders", 4).with_page("orders-0", "a@1")


def at_rest(group: GroupBuilder, epoch: int) -> GroupState:
    """Return the same group at some epoch."""
    return group.at_epoch(epoch).state


def test_what_is_remembered_is_not_unpacked_again() -> None:
    """The same bytes are the same object; after a beat, what it leaves alone is."""
    mind, state = Cache(), at_rest(GROUP, 1)
    packed = mind.pack(state, GroupState(state.name), None)

    assert state is mind.unpack(packed)
    later = packed._replace(beats=pack(a_group().with_member("a", seen=2).state).beats)
    assert state.handover.books is mind.unpack(later).handover.books


def test_the_bytes_decide_about_pulses_and_deadline() -> None:
    """Beats come and go under the same rest: the packed form says when each member was heard."""
    mind = Cache()
    early, late = (pack(a_group().with_member("a", seen=it).due_at(it).state) for it in (1, 2))
    mind.unpack(early)

    assert early.rest == late.rest
    assert unpack(late) == mind.unpack(late)


def test_other_bytes_are_another_group() -> None:
    """After a crash the bytes are older than what was last packed: they are believed."""
    mind, old, new = Cache(), at_rest(GROUP, 1), at_rest(GROUP, 2)
    before = mind.pack(old, GroupState(old.name), None)
    mind.pack(new, old, before)

    assert old == mind.unpack(before)


def test_the_oldest_is_forgotten_first() -> None:
    """However many groups there are, only so many bytes of them are kept in mind."""
    states = [replace(at_rest(GROUP, 1), group_epoch=Epoch(epoch)) for epoch in range(4)]
    groups = [pack(state) for state in states]
    mind = Cache(most_bytes=sum(len(it.rest) for it in groups[:2]))
    first, second, third = (mind.unpack(it) for it in groups[:3])

    assert first.handover.books is not mind.unpack(groups[0]).handover.books
    assert second.handover.books is not mind.unpack(groups[1]).handover.books
    assert third.handover.books is not mind.unpack(groups[2]).handover.books
    assert [unpack(it) for it in groups] == [mind.unpack(it) for it in groups]


def test_a_group_that_is_larger_than_the_mind_is_not_kept() -> None:
    """It is unpacked each time, and pushes nobody out for good."""
    mind, packed = Cache(most_bytes=1), pack(at_rest(GROUP, 1))

    assert mind.unpack(packed).handover.books is not mind.unpack(packed).handover.books


def test_what_a_group_was_before_pushes_nobody_out() -> None:
    """A group that changes in each batch takes the room of one."""
    others, changing = pack(at_rest(GROUP, 9)), [at_rest(GROUP, it) for it in range(1, 9)]
    mind = Cache(most_bytes=2 * len(others.rest) + 8)
    kept = mind.unpack(others)
    was, before = mind.pack(changing[0], GroupState(changing[0].name), None), changing[0]
    for state in changing[1:]:
        was, before = mind.pack(state, before, was), state

    assert kept.handover.books is mind.unpack(others).handover.books
