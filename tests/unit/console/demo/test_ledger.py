"""The ledger: tenures, hand-overs, overlaps and messages, from journals alone."""

from console.demo.journal import Died, Processed, Produced, Started, Stopped
from console.demo.ledger import Handover, Ledger, Offsets, Overlap


def test_a_handover_is_the_rest_between_two_tenures() -> None:
    """From the holder's stop to the heir's start, under the heir's epoch."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "released"),
            Started(230, "b", ((0, 2),)),
        ]
    )

    assert ledger.handovers() == [Handover(0, "a", "b", 2, at=230, rest=30, ending="released")]
    assert ledger.overlaps() == []
    assert ledger.owners() == {0: ["b"]}


def test_a_first_tenure_is_no_handover() -> None:
    """There was nobody to take over from."""
    ledger = Ledger.of([Started(100, "a", ((0, 1), (1, 1)))])

    assert ledger.handovers() == []
    assert ledger.owners() == {0: ["a"], 1: ["a"]}


def test_two_owners_at_once_are_found() -> None:
    """An heir that starts a nanosecond too early is one."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1),)),
            Started(199, "b", ((0, 2),)),
            Stopped(200, "a", (0,), "released"),
        ]
    )

    assert ledger.overlaps() == [Overlap(0, ("a", "b"), 199)]
    assert ledger.handovers() == []


def test_an_owner_that_never_stops_overlaps_with_every_later_one() -> None:
    """The sweep remembers the tenure that ends last, not the latest one."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1),)),
            Started(200, "b", ((0, 2),)),
            Stopped(300, "b", (0,), "released"),
            Started(400, "c", ((0, 3),)),
        ]
    )

    assert [one.members for one in ledger.overlaps()] == [("a", "b"), ("a", "c")]


def test_the_order_between_members_does_not_matter() -> None:
    """Journals are read one after the other: an heir's start may come before the holder's stop."""
    ledger = Ledger.of(
        [
            Started(230, "b", ((0, 2),)),
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "released"),
        ]
    )

    assert ledger.overlaps() == []
    assert [one.rest for one in ledger.handovers()] == [30]


def test_a_death_ends_every_tenure_of_the_member() -> None:
    """Whoever is gone owns nothing."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1), (1, 1))),
            Stopped(150, "a", (1,), "released"),
            Died(200, "a"),
            Started(900, "b", ((0, 2),)),
        ]
    )

    assert ledger.owners() == {0: ["b"], 1: []}
    assert [(one.rest, one.ending) for one in ledger.handovers()] == [(700, "died")]


def test_a_member_may_own_a_queue_again() -> None:
    """Each time is a tenure of its own."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1),)),
            Stopped(200, "a", (0,), "lost"),
            Started(300, "a", ((0, 2),)),
        ]
    )

    assert [(one.giver, one.heir) for one in ledger.handovers()] == [("a", "a")]
    assert ledger.owners() == {0: ["a"]}


def test_a_message_of_a_queue_not_owned_is_a_stray() -> None:
    """After the stop as well as without a start."""
    ledger = Ledger.of(
        [
            Processed(50, "a", 0, 0),
            Started(100, "a", ((0, 1),)),
            Processed(150, "a", 0, 1),
            Stopped(200, "a", (0,), "released"),
            Processed(250, "a", 0, 2),
        ]
    )

    assert ledger.strays == 2
    assert ledger.processed == {"a": 3}


def test_repeats_after_a_death_are_told_from_others() -> None:
    """A member that died on the queue explains what it had processed, and no more."""
    ledger = Ledger.of(
        [
            Started(100, "a", ((0, 1),)),
            *(Processed(110 + offset, "a", 0, offset) for offset in range(5)),
            Died(200, "a"),
            Started(900, "b", ((0, 2),)),
            *(Processed(910 + offset, "b", 0, offset) for offset in range(3, 7)),
            Processed(990, "b", 0, 6),
        ]
    )

    assert (ledger.repeats, ledger.repeats_by_death) == (3, 2)


def test_what_was_produced_and_not_processed_is_outstanding() -> None:
    """Queue by queue; what was processed before its acknowledgement was read counts too."""
    ledger = Ledger.of(
        [
            Started(1, "a", ((0, 1), (1, 1))),
            *(Produced(2, queue, offset) for queue in (0, 1) for offset in range(4)),
            Processed(3, "a", 0, 0),
            Processed(3, "a", 0, 2),
            Processed(3, "a", 1, 4),
        ]
    )

    assert ledger.produced() == 8
    assert ledger.outstanding() == 6


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
