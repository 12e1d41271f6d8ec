"""The clients of `bench/scale --kind rocketmq` say what RocketMQ's own clients say."""

from bench.scale.clients import Clients
from bench.scale.members import Kind, Told
from tests.builders.sessions import assignment
from trimtab.protocol import (
    ROCKETMQ,
    Registration,
    RegistrationChange,
    UndecodableRecord,
    partition_of,
)
from trimtab.protocol.rocketmq import Unregistration, registration_changes

TOLD = Told("kafka", "t.", 8, "orders", 8, 3, 30.0, answered=True, kind=Kind.ROCKETMQ)
GROUPS = [f"load-{number}" for number in range(8)]


def said(value: bytes) -> list[RegistrationChange]:
    """What a record says of each group."""
    return [it for it in registration_changes(value) if not isinstance(it, UndecodableRecord)]


def hear(clients: Clients, name: str, group: str) -> None:
    """Tell a client what it owns in a group."""
    told = assignment(7, member=name, hold=[(4, 7)])
    clients.hears(told.model_copy(update={"group": group}))


def test_each_client_is_in_four_groups_with_as_many_others_as_a_group_has() -> None:
    """It names all of them in each heartbeat, with their own topics of retries."""
    clients = Clients(TOLD)
    heartbeats = [clients.beats(it) for it in range(clients.count)]
    members = [it for value in heartbeats for it in said(value) if isinstance(it, Registration)]

    assert 6 == clients.count == len({it.client for it in members})
    assert sorted(3 * GROUPS) == sorted(it.group for it in members)
    assert all(it.topics == frozenset({"orders", f"%RETRY%{it.group}"}) for it in members)
    assert heartbeats == [value for it in range(clients.count) for _, value in clients.joins(it)]
    assert all(len(it) <= ROCKETMQ.max_record_bytes for it in heartbeats)


def test_all_are_at_work_when_each_was_told_by_each_group() -> None:
    """What is said to others, as to probes, counts for nothing."""
    clients = Clients(TOLD)
    hear(clients, "another", "load-0")
    for it in range(clients.count):
        name = clients.place(it)[0].decode()
        for group in [each.group for each in said(clients.beats(it))]:
            assert not clients.are_at_work
            hear(clients, name, group)
    assert clients.are_at_work


def test_who_goes_unregisters_everywhere_and_comes_as_another_process() -> None:
    """Under its own key up to the last word; each process has the partition of its client id."""
    clients = Clients(TOLD)
    before, groups = clients.place(4), [it.group for it in said(clients.beats(4))]
    going = [it for _, value in clients.leaves(4) for it in said(value)]
    was_away = clients.is_away(4)
    ((_, returned),) = clients.returns(4)
    (first, *_) = said(returned)

    assert {Unregistration} == set(map(type, going))
    assert groups == [it.group for it in going]
    assert {before[0].decode()} == {it.client for it in going}
    assert (True, False) == (was_away, clients.is_away(4))
    assert (first.client.encode(), partition_of(first.client, 8)) == clients.place(4) != before


def test_a_restart_ends_one_process_before_the_next_begins() -> None:
    """So each of its records has the place of the process that says it."""
    clients = Clients(TOLD)
    spoken = [(clients.place(0)[0].decode(), said(it)[0].client) for _, it in clients.restarts(0)]

    assert 5 == len(spoken)
    assert all(key == client for key, client in spoken)
    assert 2 == len(set(spoken))
