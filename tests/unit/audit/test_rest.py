"""What a group at rest looks like, and how large it may be (I5, I16)."""

from tests.unit.audit.histories import GROUP, ShownHistory


def at_rest() -> ShownHistory:
    """Two members, three queues, everything acknowledged."""
    told = ShownHistory()
    told.routed("orders", 3)
    told.joined("a")
    told.joined("b")
    told.issued("a", 1, hold="orders-0@1 orders-1@1")
    told.issued("b", 1, hold="orders-2@1")
    told.beats("a", epoch=1, owned="orders-0@1 orders-1@1")
    told.beats("b", epoch=1, owned="orders-2@1")
    return told


def test_rest_is_every_queue_owned_and_acknowledged() -> None:
    """Nothing is left to be done."""
    assert [] == at_rest().rests()


def test_an_orphan_is_seen() -> None:
    """A queue of a subscribed topic has an owner."""
    told = at_rest()
    told.routed("orders", 4, version=2)

    assert ["at rest, and nobody holds it"] == told.rests()


def test_an_orphan_of_a_pattern_is_seen() -> None:
    """It is subscribed like any other."""
    told = at_rest()
    told.joined("b", "", patterns="pay*")
    told.routed("payments", 1)

    assert "at rest, and nobody holds it" in told.rests()


def test_a_queue_that_is_gone_needs_no_owner() -> None:
    """And must have none."""
    told = at_rest()
    told.routed("orders", 2, version=2)

    assert ["held, and there is no such queue"] == told.rests()


def test_an_older_route_changes_nothing() -> None:
    """A version that is not higher is old news."""
    told = at_rest()
    told.routed("orders", 5, version=1)

    assert [] == told.rests()


def test_two_holders_are_seen() -> None:
    """Whatever their epochs."""
    told = at_rest()
    told.issued("b", 2, hold="orders-1@2 orders-2@1")
    told.beats("b", epoch=2, owned="orders-1@2 orders-2@1")

    assert ["held by 2 lives"] == told.rests()


def test_an_unfinished_hand_over_is_seen() -> None:
    """At rest nobody waits for anybody."""
    told = at_rest()
    told.issued("b", 2, give="orders-2@1")

    assert "still told to give" in told.rests()


def test_whoever_is_named_has_to_wait() -> None:
    """Else the queue would have no worker, once it is released to nobody."""
    told = at_rest()
    told.issued("b", 2, hold="orders-2@1>2")
    assert ["names somebody who does not wait"] == told.rests()

    held = "orders-0@1 orders-1@1"
    told.issued("a", 2, hold=held, unnamed="1")
    assert [] == told.rests()  # its record had no room for what it waits for

    told.issued("a", 3, hold=held, inherit="orders-2@2<b@1")
    assert [] == told.rests()


def test_a_promise_is_left_where_a_beat_was_lost_but_not_one_by_nobody() -> None:
    """The holder names another by now, which a full beat would have shown."""
    told = at_rest()
    told.issued("a", 2, hold="orders-0@1>2 orders-1@1")
    told.issued("b", 2, hold="orders-2@1", inherit="orders-0@2<a@1 orders-1@2<a@1")
    told.beats("a", epoch=2, owned="orders-0@1 orders-1@1")
    told.beats("b", epoch=2, owned="orders-2@1")
    assert ["waits in vain"] == told.rests()
    assert [] == told.rests(acknowledged=False)

    told.issued("b", 3, hold="orders-2@1", inherit="orders-0@2<a@1 orders-1@2<c@1")
    assert ["waits in vain"] == told.rests(acknowledged=False)


def test_a_holder_that_never_says_so_is_seen() -> None:
    """Owned is what a beat has confirmed."""
    told = at_rest()
    told.beats("b", epoch=1, owned="")

    assert ["its beats do not say what it holds"] == told.rests()


def test_members_that_are_gone_hold_nothing() -> None:
    """A withdrawal ends a member's part."""
    told = at_rest()
    told.withdrawn("b")

    assert ["at rest, and nobody holds it"] == told.rests()


def test_full_members_excuse_an_orphan() -> None:
    """What nobody can carry stays where it is (C17)."""
    told = ShownHistory()
    told.routed("orders", 2)
    told.joined("a", capacity=1)
    told.issued("a", 1, hold="orders-0@1")
    told.beats("a", epoch=1, owned="orders-0@1")

    assert [] == told.rests()


def crowded(capacity: int | None) -> ShownHistory:
    """Two queues; one member can carry one and has it, and the other has none."""
    told = ShownHistory()
    told.routed("orders", 2)
    told.joined("a", capacity=1)
    if capacity is None:
        told.joined("b")
    else:
        told.joined("b", capacity=capacity)
    told.issued("a", 1, hold="orders-0@1")
    told.issued("b", 1)
    told.beats("a", epoch=1, owned="orders-0@1")
    told.beats("b", epoch=1, owned="")
    return told


def test_a_full_member_does_not_excuse_those_that_have_room() -> None:
    """Whatever they can carry; but who takes no part has none for others."""
    orphan = ["at rest, and nobody holds it"]

    assert orphan == crowded(None).rests()
    assert orphan == crowded(3).rests()
    assert [] == crowded(0).rests()
    told = crowded(3)
    told.summarised(1, apart=frozenset({"b"}))
    assert [] == told.rests()


def test_a_full_member_excuses_only_while_it_is_there_and_only_its_topics() -> None:
    """One that has left, or that asks for something else, has no part in it."""
    told = crowded(0)
    told.routed("payments", 1)
    told.joined("c", "payments")
    told.issued("c", 1)
    told.beats("c", epoch=1, owned="")
    assert ["at rest, and nobody holds it"] == told.rests()

    gone = crowded(0)
    gone.withdrawn("a")
    gone.joined("b")  # it has no limit any more
    assert 2 * ["at rest, and nobody holds it"] == gone.rests()


def test_a_state_that_swells_is_seen() -> None:
    """So many members and queues explain so many bytes."""
    checker = ShownHistory().checker

    assert [] == list(checker.measured(GROUP, size=4_000, things=10))
    assert ["I16"] == [each.invariant for each in checker.measured(GROUP, 4_001, things=10)]


def test_who_broadcasts_has_all_and_owns_nothing() -> None:
    """It needs every queue of its topics, and no queue needs it."""
    told = at_rest()
    told.joined("c", broadcasting=1)
    told.issued("c", 1, hold="orders-0@1 orders-1@1")
    told.beats("c", epoch=1, owned="orders-0@1 orders-1@1")

    assert ["broadcasts, and has not all"] == told.rests()


def test_who_broadcasts_no_more_needs_no_more_than_its_share() -> None:
    """The last join says how it works."""
    told = at_rest()
    told.joined("c", broadcasting=1)
    told.joined("c")
    told.issued("c", 1)
    told.beats("c", epoch=1, owned="")

    assert [] == told.rests()


def test_those_who_share_leave_nothing_undone() -> None:
    """Each queue is worked on by one of them at least, and no queue needs one of them alone."""
    told = at_rest()
    told.joined("c", sharing=1)
    told.issued("c", 1, hold="orders-0@1")
    told.beats("c", epoch=1, owned="orders-0@1")
    assert 2 == len([it for it in told.rests() if it == "shared, and nobody works on it"])

    told.joined("d", sharing=1)
    told.issued("d", 1, hold="orders-0@1 orders-1@1 orders-2@1")
    told.beats("d", epoch=1, owned="orders-0@1 orders-1@1 orders-2@1")
    assert [] == told.rests()


def popping(*shares: str) -> ShownHistory:
    """RocketMQ's clients, of which each shares these queues of one topic by command."""
    told = ShownHistory()
    told.routed("orders", 3)
    for name, share in zip("ab", shares, strict=True):
        told.joined(name, eager=1)
        told.issued(name, 1, share=share)
        told.beats(name, epoch=1, owned="")
    told.summarised(1, popped=frozenset({"orders"}))
    return told


def test_a_topic_that_is_shared_by_command_has_somebody_for_each_queue() -> None:
    """Nobody owns one."""
    assert [] == popping("orders-0@1 orders-1@1", "orders-1@1 orders-2@1").rests()
    assert ["shared, and nobody works on it"] == popping("orders-0@1", "orders-1@1").rests()


def test_only_another_share_is_news() -> None:
    """So it may be told under a new epoch without anything else that is new."""
    told = popping("orders-0@1", "orders-1@1 orders-2@1")
    told.issued("a", 2, share="orders-0@1 orders-1@1")
    assert [] == told.wrong
