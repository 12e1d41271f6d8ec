"""What a guard is told, and what it says when the member is dead."""

from tests.builders.sessions import (
    GROUP,
    MINE,
    acknowledge,
    assignment,
    joined,
    only,
    queue,
)
from tests.unit.sdk.passage import GRANT, run_until
from trimtab.holdings import LAST, Holdings
from trimtab.protocol import (
    MEMBERS,
    RELEASES,
    TOPICS,
    HolderRef,
    Leave,
    LifeRef,
    Record,
    Release,
    ReleaseRef,
    decode,
)
from trimtab.protocol.limits import QUEUES_PER_RECORD
from trimtab.session import Send


def holdings(*rows: tuple[int, int, int | None]) -> Holdings:
    """These queues, each with its epoch and the next."""
    queues = tuple(HolderRef(*queue(q), e, to) for q, e, to in rows)
    return Holdings(member="m", incarnation=MINE, queues=queues)


def said(messages: list[Send]) -> list[Record]:
    """What messages say."""
    return [decode(TOPICS[it.topic], it.value) for it in messages]


def test_each_queue_goes_to_its_next_as_the_guard_says() -> None:
    """Without positions: only the member knew them."""
    (message,) = holdings((0, 3, 4), (1, 2, None)).releases(GROUP)
    release = decode(RELEASES, message.value)

    assert (b"billing", "m", MINE, "guard") == (
        message.key,
        release.member,
        release.incarnation,
        release.by,
    )
    assert [ReleaseRef(*queue(), 3, None, 4), ReleaseRef(*queue(1), 2, None, None)] == list(
        release.queues
    )


def test_its_leave_is_the_last_record_of_that_life() -> None:
    """Whatever the member has sent itself is older, however late it arrives."""
    message = holdings().leave(GROUP)
    (leave,) = said([message])
    (release,) = said(holdings((0, 3, 4)).releases(GROUP))
    assert isinstance(leave, Leave)
    assert isinstance(release, Release)

    assert (MEMBERS.name, "m", MINE, False) == (
        message.topic,
        leave.member,
        leave.incarnation,
        leave.temporary,
    )
    assert release.sequence < leave.sequence == LAST


def test_who_holds_nothing_only_says_that_it_has_gone() -> None:
    """There is nothing to release, and nobody must name it any more."""
    (last,) = said(holdings().releases(GROUP))
    assert isinstance(last, Release)
    assert ((), True) == (last.queues, last.gone)


def test_two_grants_of_a_queue_are_two_records_in_order() -> None:
    """One is not known to be released, the other is worked on: a record names a queue once."""
    records = said(holdings((0, 3, 4), (1, 3, None), (0, 4, 5)).releases(GROUP))

    assert [[(0, 3), (1, 3)], [(0, 4)]] == [
        [(row.id, row.epoch) for row in it.queues] for it in records if isinstance(it, Release)
    ]


def test_more_than_a_record_takes_are_more_records() -> None:
    """Each with a ticket of its own."""
    messages = holdings(*((number, 1, None) for number in range(QUEUES_PER_RECORD + 1))).releases(
        GROUP
    )

    assert [1, 2, 3] == [message.ticket for message in messages]


def test_a_guard_names_whom_its_member_would() -> None:
    """Also a life that nobody has promised the queue."""
    to = LifeRef("b", "1767225602000-00000001")
    rows = (HolderRef(*queue(), 3, 4, to), HolderRef(*queue(1), 3, 5))
    held = Holdings(member="m", incarnation=MINE, queues=rows)
    (release,) = said(held.releases(GROUP))

    assert isinstance(release, Release)
    assert [(4, to), (5, None)] == [(row.next, row.to) for row in release.queues]


def test_a_session_holds_what_kafka_does_not_know_to_be_released() -> None:
    """What is worked on, what is being finished, and what was let go in words that may be lost."""
    session = joined((0, 1, 2), (1, 1, 3))
    assert holdings((0, 1, 2), (1, 1, 3)) == Holdings.of(session)

    session.receive(assignment(2, hold=[(1, 1, 3)], give=[(0, 1, 4)]), 0)
    assert holdings((0, 1, 4), (1, 1, 3)) == Holdings.of(session)
    actions = session.finish({GRANT: 42}, 0)
    assert holdings((0, 1, 4), (1, 1, 3)) == Holdings.of(session)
    acknowledge(session, list(only(Send, actions)), 0)
    assert holdings((1, 1, 3)) == Holdings.of(session)


def test_who_goes_without_a_word_holds_what_it_held() -> None:
    """Its application may go on until the process dies: it has failed, or hangs as it leaves."""
    failed, hanging, silent = joined((0, 1, 2)), joined((0, 1, 2)), joined((0, 1, 2))
    failed.abort(0)
    for session, timeout_ms in ((hanging, 0), (silent, 3_600_000)):
        session.stop(0, timeout_ms)
        run_until(session, 1_000_000)

    assert ["ended"] * 3 == [it.phase for it in (failed, hanging, silent)]
    assert [holdings((0, 1, 2))] * 3 == [Holdings.of(it) for it in (failed, hanging, silent)]
