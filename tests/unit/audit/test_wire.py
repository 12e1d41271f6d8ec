"""Recorded topics as the auditor reads them: one record, one entry, or none."""

import json
from typing import Any

import pytest

from audit import history
from audit.history import Entry, Grant, Inheritance, Life, Naming, Place
from audit.wire import entries_of, entry_of
from tests.builders.rocketmq import CLIENT, consumer, heartbeat
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    MEMBERS,
    RELEASES,
    ROCKETMQ,
    ROUTES,
    TICK_KEY,
    Record,
    Tick,
    Topic,
    UndecodableRecord,
    encode,
    member_key,
)

AT = Place("t", 3, 90, 1_000)
LIFE = Life("worker-2", "1767225600000-9f86d081")
GRANT = Grant(("orders", "", 0), 2)


def read(topic: Topic[Any], fields: dict[str, object], key: bytes = b"billing") -> object:
    """Read one record as it would be on the wire."""
    kind = str(fields["kind"])
    record: Record = topic.kinds[kind].model_validate_json(
        encode_fields({"member": LIFE.member, "incarnation": LIFE.incarnation, **fields})
    )
    return entry_of(topic, AT, key, encode(record))


def encode_fields(fields: dict[str, object]) -> str:
    """Write JSON."""
    return json.dumps({"v": 1, **fields})


HEARD: dict[str, tuple[Topic[Any], dict[str, object], object]] = {
    "join": (
        MEMBERS,
        {"kind": "join", "sequence": 1, "topics": ["orders"], "weight": 2, "capacity": 3},
        history.Joined(AT, "billing", LIFE, 1, frozenset({"orders"}), 2, 3),
    ),
    "join of one that shares, eagerly": (
        MEMBERS,
        {"kind": "join", "sequence": 1, "topics": ["t"], "mode": "shared", "protocol": "eager"},
        history.Joined(
            AT, "billing", LIFE, 1, frozenset({"t"}), weight=1, eager=True, sharing=True
        ),
    ),
    "drain": (
        MEMBERS,
        {"kind": "drain", "sequence": 2},
        history.DrainAsked(AT, "billing", LIFE, 2),
    ),
    "leave": (MEMBERS, {"kind": "leave", "sequence": 2}, history.Left(AT, "billing", LIFE, 2)),
    "beat": (
        HEARTBEATS,
        {
            "kind": "beat",
            "sequence": 4,
            "epoch": 2,
            "owned": [{"topic": "orders", "queues": [[0, 2]]}],
        },
        history.BeatSeen(AT, "billing", LIFE, 4, 2, (GRANT,)),
    ),
    "a beat that says: as before": (
        HEARTBEATS,
        {"kind": "beat", "sequence": 5, "epoch": 2, "owned": None},
        history.BeatSeen(AT, "billing", LIFE, 5, 2, None),
    ),
    "release": (
        RELEASES,
        {
            "kind": "release",
            "sequence": 6,
            "queues": {
                "to": [["worker-3", LIFE.incarnation]],
                "queues": [{"topic": "orders", "queues": [[0, 2, 17, 3, 0], [1, 2, 17, None]]}],
            },
        },
        history.Released(
            AT,
            "billing",
            LIFE,
            (
                Naming(("orders", "", 0), 2, 3, Life("worker-3", LIFE.incarnation)),
                Naming(("orders", "", 1), 2),
            ),
        ),
    ),
    "release that the controller writes": (
        RELEASES,
        {
            "kind": "release",
            "sequence": 0,
            "queues": {"queues": [{"topic": "orders", "queues": [[0, 2, None, 3]]}]},
            "by": "controller",
        },
        history.Released(AT, "billing", LIFE, (Naming(("orders", "", 0), 2, 3),)),
    ),
    "route": (
        ROUTES,
        {"kind": "route", "topic": "orders", "version": 3, "exists": True, "runs": [["", 0, 2]]},
        history.Routed(AT, "billing", "orders", 3, (("orders", "", 0), ("orders", "", 1))),
    ),
    "what was found published": (
        ROUTES,
        {"kind": "advance", "start": LIFE.incarnation, "epoch": 4, "decided_ms": 5},
        history.Started(AT, "billing", LIFE.incarnation),
    ),
    "command": (
        COMMANDS,
        {"kind": "approve", "id": "c1", "principal": "ann", "reason": "they are dead"},
        history.Commanded(AT, "billing", "approve"),
    ),
}


@pytest.mark.parametrize(("topic", "fields", "entry"), HEARD.values(), ids=HEARD.keys())
def test_what_was_heard(topic: Topic[Any], fields: dict[str, object], entry: object) -> None:
    """Each record of a member, the watcher or an operator makes the entry that says the same."""
    assert entry == read(topic, fields)


def test_a_tick_needs_no_reading() -> None:
    """Its place and its key say what it is."""
    assert history.Ticked(AT) == entry_of(HEARTBEATS, AT, TICK_KEY, b"anything")


def test_a_tick_says_whose_it_is_and_how_far_that_has_come() -> None:
    """Else nobody could tell which of them prove time."""
    said = Tick(controller="c", number=7, start="1767312000000-0b5e55ed", seen=6)

    assert history.Ticked(AT, "1767312000000-0b5e55ed", 7, 6) == entry_of(
        HEARTBEATS, AT, TICK_KEY, encode(said)
    )


def published(
    topic: Topic[Any], kind: str, *, key: bytes = b"billing", **fields: object
) -> Entry | None:
    """Read the contract's own example of a record, with some fields changed."""
    model = topic.kinds[kind]
    (example,) = model.model_json_schema()["examples"]
    record: Record = model.model_validate_json(json.dumps({**example, **fields}))
    return entry_of(topic, AT, key, encode(record))


def test_assignments() -> None:
    """What to hold, to give and to inherit, who comes next, and the bytes themselves."""
    entry = published(ASSIGNMENTS, "assignment")

    assert isinstance(entry, history.Issued)
    assert (LIFE, 4, 10_000) == (entry.life, entry.epoch, entry.session_timeout_ms)
    assert (Grant(("orders", "", 0), 2),) == entry.hold
    assert (Grant(("orders", "", 1), 2),) == entry.give
    assert (None, 4) == entry.heirs
    assert "join" == entry.cause
    source = Life("worker-1", "1767225599000-0a1b2c3d")
    assert (Inheritance(("orders", "", 7), 4, source, 3),) == entry.inherit
    assert isinstance(entry.content, bytes)
    assert not entry.unheard


def test_assignments_with_a_question() -> None:
    """Whoever is asked to join again is not known any more."""
    entry = published(ASSIGNMENTS, "assignment", join_again=True)

    assert isinstance(entry, history.Issued)
    assert entry.unheard


@pytest.mark.parametrize("mode", [None, "broadcasting", "shared"])
def test_assignments_of_who_owns_nothing(mode: str | None) -> None:
    """They say so themselves."""
    entry = published(ASSIGNMENTS, "assignment", mode=mode)

    assert isinstance(entry, history.Issued)
    assert (mode is not None) == entry.common


@pytest.mark.parametrize("name", [LIFE.member, f"{LIFE.member}@{LIFE.incarnation}"])
def test_assignments_of_twins_that_are_told_apart(name: str) -> None:
    """Their key says so: it names the life as well."""
    entry = published(ASSIGNMENTS, "assignment", key=member_key("billing", name))

    assert isinstance(entry, history.Issued)
    assert (name != LIFE.member) == entry.apart
    assert LIFE == entry.life


def test_a_tombstone_withdraws_an_assignment() -> None:
    """Its key says whose."""
    entry = entry_of(ASSIGNMENTS, AT, member_key("billing", "worker-2"), None)

    assert history.Withdrawn(AT, "billing", "worker-2") == entry


def test_a_tombstone_takes_the_last_word_back() -> None:
    """No controller writes one."""
    assert history.Effaced(AT, "billing") == entry_of(GROUPS, AT, b"billing", None)


def test_a_summary_says_who_takes_no_part() -> None:
    """And whether the target is that of the group as it is."""
    people = [
        {"member": name, "hold": 0, "give": 0, "inherit": 0, "draining": name == "d", mark: True}
        for name, mark in (("a", "away"), ("d", "x"), ("h", "held"), ("r", "resting"), ("w", "x"))
    ]
    entry = published(GROUPS, "group", people=people, target_epoch=3)

    assert isinstance(entry, history.Summarised)
    assert frozenset("adhr") == entry.apart
    assert not entry.settled


@pytest.mark.parametrize(("away", "paused"), [(False, False), (True, False), (False, True)])
def test_a_group_that_waits_is_not_settled(*, away: bool, paused: bool) -> None:
    """For the end of a pause, or for somebody's return: loads are not equal meanwhile."""
    one = {
        "member": "a",
        "hold": 0,
        "give": 0,
        "inherit": 0,
        "draining": False,
        "away": away or None,
    }
    entry = published(
        GROUPS, "group", people=[one], paused=paused or None, target_epoch=4, group_epoch=4
    )

    assert isinstance(entry, history.Summarised)
    assert entry.settled is not (away or paused)


@pytest.mark.parametrize("event", ["expired", "fenced", "left"])
def test_the_end_of_a_life(event: str) -> None:
    """With the record that proved it."""
    cause = {"kind": "expiry", "topic": "trimtab.heartbeats", "partition": 3, "offset": 12}
    entry = published(HISTORY, "member", event=event, cause=cause)

    assert isinstance(entry, history.Removed)
    assert (event, Place("trimtab.heartbeats", 3, 12)) == (entry.how, entry.cause)


def test_held_evictions() -> None:
    """Who was silent and is still in."""
    held = frozenset({"worker-1", "worker-2", "worker-3"})

    assert history.Held(AT, "billing", held) == published(HISTORY, "hold")


def test_what_cannot_be_judged_makes_no_entry() -> None:
    """Durations and beginnings prove nothing."""
    assert published(HISTORY, "handover") is None
    assert published(HISTORY, "member", event="joined") is None


def test_a_record_that_breaks_its_contract_is_refused() -> None:
    """Whoever reads topics says so."""
    with pytest.raises(UndecodableRecord):
        entry_of(MEMBERS, AT, b"billing", b"{}")


def test_a_clients_heartbeat_is_an_entry_for_each_of_its_groups() -> None:
    """What of it cannot be understood spoils no other; any other record is one entry or none."""
    found = list(entries_of(ROCKETMQ, AT, b"c", heartbeat(consumer("g", "T"), None, consumer("h"))))
    gone = list(entries_of(ROCKETMQ, AT, b"c", b'{"clientID":"c","consumerGroup":"g"}'))

    assert [("g", CLIENT, True, frozenset("T")), ("h", CLIENT, True, frozenset("T"))] == [
        (it.group, it.life.member, it.eager, it.topics)
        for it in found
        if isinstance(it, history.Joined)
    ]
    assert ["g"] == [it.group for it in gone if isinstance(it, history.Left)]
    assert [history.Ticked(AT)] == list(entries_of(HEARTBEATS, AT, TICK_KEY, b"?"))
