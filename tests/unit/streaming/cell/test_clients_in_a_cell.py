"""RocketMQ's own clients, as a cell hears them."""

from itertools import groupby

from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import Folded, fold
from streaming.cell.packed import unpack
from streaming.wire.rocketmq import CellPlace
from tests.builders.log import PARTITIONS, Log, route, rules
from tests.builders.rocketmq import CLIENT, consumer, heartbeat
from trimtab.protocol import HISTORY, ROCKETMQ, ROUTES, Doubled, decode, partition_of
from trimtab.protocol.topics import ASSIGNMENTS

RULES = rules()


def group_of(cell: Cell, name: str) -> GroupState:
    """What a cell knows of a group."""
    return unpack(cell.groups.by_name()[GroupName(name)])


def on(topic: str, folded: Folded) -> list[Record]:
    """The records for one topic."""
    return [record for record in folded.records if record.topic == f"t.{topic}"]


def test_one_heartbeat_makes_a_client_a_member_of_all_its_groups() -> None:
    """Each group hears it by its own clock, and answers in its own partition."""
    log = Log()
    log.append(ROCKETMQ, CLIENT, heartbeat(consumer("g", "orders"), consumer("h")), at=1_000)
    log.append(ROUTES, "g", route(), at=1_001)
    folded = fold(Cell(), log.read(), RULES)

    assert [("g", 1), ("h", 1)] == [
        (name, len(group_of(folded.cell, name).membership.members)) for name in ("g", "h")
    ]
    (last,) = [it for it in on("assignments", folded) if it.key == f"g/{CLIENT}".encode()]
    assert partition_of("g", PARTITIONS) == last.partition
    assert 2 == len(decode(ASSIGNMENTS, last.value).hold)


def test_a_cell_hears_only_of_its_own_groups() -> None:
    """The others hear the rest: together they are one cell."""
    log = Log()
    log.append(ROCKETMQ, CLIENT, heartbeat(consumer("g"), consumer("h"), None), at=1_000)
    cells = [fold(Cell(), log.rows, RULES.at(CellPlace(each))) for each in range(PARTITIONS)]
    groups = [sorted(folded.cell.groups.by_name()) for folded in cells]

    assert partition_of("g", PARTITIONS) != partition_of("h", PARTITIONS)
    assert ["g"] == groups[partition_of("g", PARTITIONS)]
    assert [[], ["g"], ["h"]] == sorted(map(list, {*map(tuple, groups)}))
    assert 1 == sum(len(on("deadletters", folded)) for folded in cells)


def test_a_silent_client_expires_by_the_clock_of_its_group() -> None:
    """After two minutes, as on RocketMQ's brokers; who unregisters goes at once."""
    log = Log()
    for client in ("a", "b"):
        said = heartbeat(consumer("g", "orders"), clientID=client)
        log.append(ROCKETMQ, client, said, at=1_000)
    log.append(ROCKETMQ, "b", b'{"clientID":"b","consumerGroup":"g"}', at=2_000)
    for second in range(1, 121):
        log.tick("g", at=second * 1_000)
    cell = fold(Cell(), log.read(), RULES).cell
    assert ["a"] == list(group_of(cell, "g").membership.members)

    log.tick("g", at=121_000)
    folded = fold(cell, log.read(), RULES)
    assert {} == group_of(folded.cell, "g").membership.members
    assert [b"g/a"] == [record.key for record in on("assignments", folded)]


def test_two_processes_with_one_client_id_are_named_in_the_history() -> None:
    """Each sends a heartbeat every 30 s, and they began at different times: with what to do."""
    log, said = Log(), heartbeat(consumer("g", "orders"))
    for second in range(180):
        if second % 30 in {4, 15}:
            log.append(ROCKETMQ, CLIENT, said, at=second * 1_000)
        log.tick("g", at=second * 1_000)
    named = doubled(log)

    assert [(CLIENT, "cadence")] == [(entry.member, entry.sign) for entry in named]
    assert "instanceName" in named[0].detail


def test_what_a_broker_says_of_two_processes_is_in_the_history() -> None:
    """Its hook adds a field to the heartbeat."""
    log = Log()
    log.append(ROCKETMQ, CLIENT, heartbeat(consumer("g"), trimtabDoubled=True), at=1_000)
    log.tick("g", at=1_000)

    assert [(CLIENT, "channels")] == [(entry.member, entry.sign) for entry in doubled(log)]


def test_two_processes_of_different_groups_are_named_in_the_history() -> None:
    """Where they meet: the one has a group more than the other."""
    log, both, one = Log(), heartbeat(consumer("g"), consumer("h")), heartbeat(consumer("g"))
    for second in range(100):
        if second % 30 in {4, 6}:
            log.append(ROCKETMQ, CLIENT, both if second % 30 == 4 else one, at=second * 1_000)
        log.tick("g", at=second * 1_000)

    assert [("g", "subscriptions")] == [(entry.group, entry.sign) for entry in doubled(log)]


def test_one_process_that_several_brokers_hear_is_one() -> None:
    """Three copies of each heartbeat, a second apart."""
    log, said = Log(), heartbeat(consumer("g", "orders"))
    for second in range(300):
        if second % 30 in {4, 5, 6}:
            log.append(ROCKETMQ, CLIENT, said, at=second * 1_000)
        log.tick("g", at=second * 1_000)

    assert [] == doubled(log)


def doubled(log: Log) -> list[Doubled]:
    """Fold a log, batch by batch, and return what the history says of doubled clients."""
    cell, said = Cell(), list[Doubled]()
    for _, rows in groupby(log.read(), key=lambda row: row.appended_ms // 1_000):
        folded = fold(cell, list(rows), RULES)
        cell = folded.cell
        history = (decode(HISTORY, record.value) for record in on("history", folded))
        said += [entry for entry in history if isinstance(entry, Doubled)]
    return said
