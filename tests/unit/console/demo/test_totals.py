"""The totals: tenures, hand-overs, overlaps and messages, from journals alone."""

from console.demo.journal import Died, Processed, Produced, Started, Stopped
from console.demo.totals import Handover, Offsets, Overlap, Totals


def test_a_handover_is_the_rest_between_two_tenures() -> None:
    """From the holder's stop to the heir's start, under the heir's epoch."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "released"),
            Started(230, "b", ((0, 2),)),
        ]
    )

    assert totals.handovers() == [Handover(0, "a", "b", 2, at=230, rest=30, ending="released")]
    assert totals.overlaps() == []
    assert totals.owners() == {0: ["b"]}


def test_a_first_tenure_is_no_handover() -> None:
    """There was nobody to take over from."""
    totals = Totals.of([Started(100, "a", ((0, 1), (1, 1)))])

    assert totals.handovers() == []
    assert totals.owners() == {0: ["a"], 1: ["a"]}


def test_two_owners_at_once_are_found() -> None:
    """An heir that starts a nanosecond too early is one."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1),)),
            Started(199, "b", ((0, 2),)),
            Stopped(200, "a", (0,), "released"),
        ]
    )

    assert totals.overlaps() == [Overlap(0, ("a", "b"), 199)]
    assert totals.handovers() == []


def test_an_owner_that_never_stops_overlaps_with_every_later_one() -> None:
    """The sweep remembers the tenure that ends last, not the latest one."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1),)),
            Started(200, "b", ((0, 2),)),
            Stopped(300, "b", (0,), "released"),
            Started(400, "c", ((0, 3),)),
        ]
    )

    assert [one.members for one in totals.overlaps()] == [("a", "b"), ("a", "c")]


def test_the_order_between_members_does_not_matter() -> None:
    """Journals are read one after the other: an heir's start may come before the holder's stop."""
    totals = Totals.of(
        [
            Started(230, "b", ((0, 2),)),
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "released"),
        ]
    )

    assert totals.overlaps() == []
    assert [one.rest for one in totals.handovers()] == [30]


def test_a_death_ends_every_tenure_of_the_member() -> None:
    """Whoever is gone owns nothing."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1), (1, 1))),
            Stopped(150, "a", (1,), "released"),
            Died(200, "a"),
            Started(900, "b", ((0, 2),)),
        ]
    )

    assert totals.owners() == {0: ["b"], 1: []}
    assert [(one.rest, one.ending) for one in totals.handovers()] == [(700, "died")]


def test_a_member_may_own_a_queue_again() -> None:
    """Each time is a tenure of its own."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "lost"),
            Started(300, "a", ((0, 2),)),
        ]
    )

    assert [(one.giver, one.heir) for one in totals.handovers()] == [("a", "a")]
    assert totals.owners() == {0: ["a"]}


def test_a_message_of_a_queue_not_owned_is_a_stray() -> None:
    """After the stop as well as without a start."""
    totals = Totals.of(
        [
            Processed(50, "a", 0, 0),
            Started(100, "a", ((0, 1),)),
            Processed(150, "a", 0, 1),
            Stopped(200, "a", (0,), "released"),
            Processed(250, "a", 0, 2),
        ]
    )

    assert totals.strays == 2
    assert totals.processed == {"a": 3}


def test_repeats_after_a_death_are_told_from_others() -> None:
    """A member that died on the queue explains what it had processed, and no more."""
    totals = Totals.of(
        [
            Started(100, "a", ((0, 1),)),
            *(Processed(110 + offset, "a", 0, offset) for offset in range(5)),
            Died(200, "a"),
            Started(900, "b", ((0, 2),)),
            *(Processed(910 + offset, "b", 0, offset) for offset in range(3, 7)),
            Processed(990, "b", 0, 6),
        ]
    )

    assert (totals.repeats, totals.repeats_by_death) == (3, 2)


def test_what_was_produced_and_not_processed_is_outstanding() -> None:
    """Queue by queue; what was processed before its acknowledgement was read counts too."""
    totals = Totals.of(
        [
            Started(1, "a", ((0, 1), (1, 1))),
            *(Produced(2, queue, offset) for queue in (0, 1) for offset in range(4)),
            Processed(3, "a", 0, 0),
            Processed(3, "a", 0, 2),
            Processed(3, "a", 1, 4),
        ]
    )

    assert totals.produced() == 8
    assert totals.outstanding() == 6


def test_offsets_may_come_in_any_order() -> None:
    """The frontier follows as soon as the hole is filled."""
    offsets = Offsets()

    assert [offsets.add(offset) for offset in (1, 0, 3, 1, 3, 2)] == [
        True,
        True,
        True,
        False,
        False,
        True,
    ]
    assert (offsets.frontier, offsets.beyond, len(offsets)) == (4, set(), 4)
