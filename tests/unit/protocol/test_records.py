"""Records as values."""

import json
from typing import Any, Final

import pytest
from pydantic import ValidationError

from trimtab.protocol import (
    RELEASES,
    ROUTES,
    Adopt,
    Beat,
    DeadLetter,
    GrantRef,
    HolderRef,
    InheritRef,
    LifeRef,
    Place,
    QueueRef,
    Release,
    ReleaseRef,
    Route,
    RunRef,
    UndecodableRecord,
    decode,
    encode,
)
from trimtab.protocol.limits import DEAD_LETTER_BYTES

LIFE = "1767225600000-9f86d081"
TOLD: Final[dict[str, Any]] = {
    "start": LIFE,
    "epoch": 4,
    "member": "h",
    "incarnation": LIFE,
    "session_timeout_ms": 1_000,
    "revocation_timeout_ms": 1_000,
}
PLACE = Place("trimtab.members", 3, 90, 1_767_225_600_000)


def a_beat() -> Beat:
    """A beat that owns one queue."""
    return Beat(
        member="m", incarnation=LIFE, sequence=7, epoch=3, owned=(GrantRef("orders", "", 0, 3),)
    )


def test_a_record_is_a_value() -> None:
    """Equal fields make equal records, and nobody changes one."""
    assert a_beat() == a_beat()
    assert hash(a_beat()) == hash(a_beat())
    with pytest.raises(ValidationError):
        a_beat().epoch = 4


def test_equal_records_are_equal_bytes() -> None:
    """Compact, in the order of declaration, without what is absent."""
    expected = (
        b'{"v":1,"kind":"beat","member":"m","incarnation":"1767225600000-9f86d081","sequence":7,'
        b'"epoch":3,"owned":[{"topic":"orders","queues":[[0,3]]}]}'
    )

    assert expected == encode(a_beat())
    assert b"owned" not in encode(a_beat().model_copy(update={"owned": None}))


def test_a_record_cannot_be_made_wrong() -> None:
    """Writers are held to the contract too, and are told nothing that strangers wrote."""
    with pytest.raises(ValidationError, match="incarnation") as refusal:
        Beat(member="m", incarnation="secret", sequence=7, epoch=3)

    assert "secret" not in str(refusal.value)


def test_every_row_knows_its_queue() -> None:
    """A grant, a holder's row, a release and an inheritance are about a queue."""
    rows: list[GrantRef | HolderRef | ReleaseRef | InheritRef] = [
        GrantRef("orders", "b", 1, 3),
        HolderRef("orders", "b", 1, 3, 4),
        ReleaseRef("orders", "b", 1, 3, None),
        InheritRef("orders", "b", 1, 4, "m", LIFE, 3),
    ]

    assert [QueueRef("orders", "b", 1)] * 4 == [row.queue for row in rows]


def test_a_release_says_who_comes_next_and_who_says_so() -> None:
    """Nobody, where no grant is known; the member itself, where nothing is said."""
    rows = (ReleaseRef("orders", "", 1, 3, 42, 4), ReleaseRef("orders", "", 5, 3, None, None))
    release = Release(member="m", incarnation=LIFE, sequence=7, queues=rows)

    (shelf,) = json.loads(encode(release))["queues"]["queues"]
    assert [[1, 3, 42, 4], [5, 3, None, None]] == shelf["queues"]
    assert b'"by"' not in encode(release)
    assert rows == decode(RELEASES, encode(release)).queues
    told = release.model_copy(update={"by": "guard"})
    assert "guard" == decode(RELEASES, encode(told)).by


def test_a_release_may_name_a_life() -> None:
    """Once in the record; a row gives its number, and one that names no life has a cell less."""
    heir = LifeRef("n", LIFE)
    rows = (
        ReleaseRef("orders", "", 1, 3, 42, 4, heir),
        ReleaseRef("orders", "", 2, 3, None, 4),
        ReleaseRef("orders", "", 5, 3, None, 6, heir),
    )
    release = Release(member="m", incarnation=LIFE, sequence=7, queues=rows, gone=True)
    said = json.loads(encode(release))

    assert {
        "to": [["n", LIFE]],
        "queues": [
            {"topic": "orders", "queues": [[1, 3, 42, 4, 0], [2, 3, None, 4], [5, 3, None, 6, 0]]}
        ],
    } == said["queues"]
    assert said["gone"] is True
    assert release == decode(RELEASES, encode(release))


def test_a_name_is_said_once() -> None:
    """The rows of a topic and broker stand together, and so do those who give."""
    rows = (
        InheritRef("orders", "b", 0, 4, "m", LIFE, 3),
        InheritRef("orders", "", 1, 4, "n", LIFE, 2),
        InheritRef("orders", "b", 2, 4, "n", LIFE, 3),
        InheritRef("orders", "b", 3, 4, "m", LIFE, 3),
    )
    adopt = Adopt(**TOLD, hold=(), give=(), inherit=rows)
    written = json.loads(encode(adopt))["inherit"]

    assert [["m", LIFE], ["n", LIFE]] == written["from"]
    assert [
        {"topic": "orders", "broker": "b", "queues": [[0, 4, 0, 3], [2, 4, 1, 3], [3, 4, 0, 3]]},
        {"topic": "orders", "queues": [[1, 4, 1, 2]]},
    ] == written["queues"]
    read = decode(ROUTES, encode(adopt))
    assert isinstance(read, Adopt)
    assert set(rows) == set(read.inherit)


def test_a_route_has_runs_with_names() -> None:
    """Nobody remembers what `run[2]` was."""
    route = Route(topic="orders", version=1, exists=True, runs=(RunRef("", 0, 16),))

    assert ("", 0, 16) == (route.runs[0].broker, route.runs[0].first_id, route.runs[0].length)


def test_a_dead_letter_keeps_the_beginning() -> None:
    """Enough to look at, never more; the size is that of the whole."""
    value = b"x" * (DEAD_LETTER_BYTES + 1)
    letter = DeadLetter.of(UndecodableRecord("garbage", "no"), PLACE, b"g", value)

    assert ("garbage", "no", *PLACE) == (
        letter.reason,
        letter.detail,
        letter.topic,
        letter.partition,
        letter.offset,
        letter.timestamp_ms,
    )
    assert (DEAD_LETTER_BYTES + 1, True, "Zw==") == (letter.size, letter.truncated, letter.key_b64)
    assert 1368 == len(letter.value_b64 or "")


def test_a_dead_letter_tells_nothing_from_empty() -> None:
    """A null key and an empty one are different mistakes."""
    error = UndecodableRecord("null_key", "The record has no key")
    letter = DeadLetter.of(error, PLACE, None, b"")

    assert (None, "", 0, False) == (
        letter.key_b64,
        letter.value_b64,
        letter.size,
        letter.truncated,
    )
