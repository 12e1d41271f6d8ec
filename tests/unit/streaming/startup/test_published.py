"""The published state: which of its records a starting controller is told."""

import tracemalloc

import pytest

from streaming.startup.published import Found, PublishedState, found_of
from tests.builders.wire_examples import golden
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    ROUTES,
    Adopt,
    Advance,
    Assignment,
    HolderRef,
    Overrides,
    Settings,
    TopicSummary,
    UndecodableRecord,
    decode,
    encode,
    limits,
    member_key,
)

START = "1767312000000-0b5e55ed"
GOLDEN = {it.case: it.wire.encode() for it in golden() if it.topic in ("assignments", "groups")}
ASSIGNED = decode(ASSIGNMENTS, GOLDEN["an assignment of every sort"])
SUMMARY = next(decode(GROUPS, it.wire.encode()) for it in golden() if it.topic == "groups")
KEY = member_key("billing", "worker-2")


def board(*said: Assignment | None) -> PublishedState:
    """A board with what stood under one key, in this order."""
    published = PublishedState(START)
    for each in said:
        published.assignment(KEY, None if each is None else encode(each))
    return published


def issued(epoch: int, life: int = 1) -> Assignment:
    """Orders of an epoch for a life of the member."""
    mine = f"176722560000{life}-9f86d081"
    return ASSIGNED.model_copy(update={"epoch": epoch, "incarnation": mine})


def told(published: PublishedState) -> list[tuple[int, str]]:
    """The epoch and the life of each member's record."""
    records = [found.record for found in published.found()]
    return [(it.epoch, it.incarnation) for it in records if isinstance(it, Adopt)]


def test_a_found_record_says_what_the_record_says() -> None:
    """Its member's name is its own, and the group is the key's."""
    [found] = board(ASSIGNED).found()

    kept = set(Adopt.model_fields) - {"kind", "start", "of"}
    told = found_of(ASSIGNED, START).model_copy(update={"of": 1})
    assert Found("billing", told) == found
    assert {it: getattr(ASSIGNED, it) for it in kept} == {
        it: getattr(found.record, it) for it in kept
    }


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([issued(4), issued(9)], [issued(9)], id="the last"),
        pytest.param([issued(9), issued(4)], [issued(9)], id="an old memory spoke"),
        pytest.param([issued(9), None], [], id="a tombstone"),
        pytest.param([issued(9), None, issued(4)], [issued(4)], id="begun anew"),
        pytest.param([issued(9), issued(4, life=2)], [issued(4, life=2)], id="a younger life"),
        pytest.param([issued(9, life=2), issued(11)], [issued(11)], id="an older one, later"),
    ],
)
def test_which_record_counts(said: list[Assignment | None], expected: list[Assignment]) -> None:
    """The last one, unless its epoch is not greater and it is for no younger life."""
    assert [(it.epoch, it.incarnation) for it in expected] == told(board(*said))


def test_of_two_with_one_epoch_the_first_counts() -> None:
    """Members obey that one; the other may be an older controller's, which was frozen (A5)."""
    published = board(issued(9), issued(9).model_copy(update={"hold": ()}))

    [adopted] = [found.record for found in published.found()]
    assert isinstance(adopted, Adopt)
    assert issued(9).hold == adopted.hold != ()


def test_a_summary_says_where_the_group_stood() -> None:
    """Its epoch, and up to where the log was known; the highest, and no tombstone takes it back."""
    published = PublishedState(START)
    published.summary(b"billing", encode(SUMMARY))
    published.summary(b"billing", encode(SUMMARY.model_copy(update={"epoch": 0})))

    stood = Advance(start=START, epoch=SUMMARY.epoch, decided_ms=SUMMARY.at_ms, of=1)
    expected = stood.model_copy(update={"draining": ()})
    assert [Found("billing", expected)] == list(published.found())

    published.summary(b"billing", None)
    assert [Found("billing", expected)] == list(published.found())


@pytest.mark.parametrize(
    ("members", "draining"), [(2, ("worker-2",)), (3, None)], ids=["all", "not all are named"]
)
def test_a_summary_says_who_drains(members: int, draining: tuple[str, ...] | None) -> None:
    """If it names all that may."""
    works = SUMMARY.people[0]
    drains = works.model_copy(update={"member": "worker-2", "draining": True})
    said = SUMMARY.model_copy(update={"members": members, "people": (works, drains)})
    published = PublishedState(START)
    published.summary(b"billing", encode(said))

    [advance] = [found.record for found in published.found()]
    assert isinstance(advance, Advance)
    assert draining == advance.draining


def test_a_summary_says_what_operators_have_set() -> None:
    """Their commands are not kept for ever."""
    shared = TopicSummary(version=1, queues=1, awaited=False, popped=True)
    own = {
        "paused": True,
        "paused_until_ms": 1_767_225_700_000,
        "own_strategy": "AVG",
        "overrides": Overrides(flap_limit=7),
    }
    topics = {"mail": shared, "orders": shared.model_copy(update={"popped": None})}
    summary = SUMMARY.model_copy(update={**own, "topics": topics})
    published = PublishedState(START)
    published.summary(b"billing", encode(summary))

    [found] = published.found()
    assert isinstance(found.record, Advance)
    assert Settings.model_validate({**own, "popped": ("mail",)}) == found.record.settings


def test_a_name_that_was_used_once_takes_little_room() -> None:
    """Each one ever used stays published, and a start reads them all."""
    published, names = PublishedState(START), 500
    summary = encode(SUMMARY)
    tracemalloc.start()
    for each in range(names):
        published.summary(f"group-{each}".encode(), summary)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held / names < 600


def test_what_no_controller_can_have_published_is_left_out() -> None:
    """Whoever writes the last of all epochs must not keep the controller from starting."""
    published = board(issued(limits.SAFE_INTEGER))

    assert [] == told(published)
    assert 1 == published.skipped


@pytest.mark.parametrize("key", [None, b"billing", b"\xff/a"])
def test_what_is_no_record_is_refused(key: bytes | None) -> None:
    """The reader says so and goes on."""
    with pytest.raises(UndecodableRecord):
        board().assignment(key, encode(ASSIGNED))
    with pytest.raises(UndecodableRecord):
        board().assignment(KEY, b"{}")


def test_whatever_fits_as_an_assignment_fits_as_found() -> None:
    """The found record is the shorter of the two, however much it names."""
    rows = tuple(HolderRef("orders", "", n, 3, 4) for n in range(limits.QUEUES_PER_RECORD))
    for each in (
        issued(4),
        ASSIGNED.model_copy(update={"hold": rows, "give": (), "inherit": ()}),
    ):
        found = encode(found_of(each, START))

        assert len(found) < len(encode(each))
        decode(ROUTES, found)
