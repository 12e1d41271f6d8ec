"""Reports become verdicts in the cell that their cluster shares with its groups."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.events import BrokerEvent, ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import BrokerStep
from rebalance.brokers.step import step as deliberated
from rebalance.errors import BrokenInvariant
from streaming.cell import brokers
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.hearing import CellRules
from streaming.cell.packed import pack_cluster, unpack_cluster
from streaming.wire.rows import Row
from tests.builders.cluster_story import FAILS, ClusterStory, sights
from tests.builders.log import PREFIX, Log, rules
from tests.builders.reports import EAST, START, outage, report
from tests.unit.streaming.cell.failing import ILL, WELL, of
from tests.unit.streaming.cell.failing import letters as returned
from tests.unit.streaming.cell.lone_cell import neighbours
from trimtab.protocol import (
    BROKERS,
    COMMANDS,
    DEADLETTERS,
    HISTORY,
    LATENCY,
    Ailment,
    CommandAnswer,
    DeadLetter,
    Eject,
    Forget,
    Hosts,
    Sample,
    Verdict,
    decode,
    limits,
    read_broker_key,
)

RULES: CellRules = rules()


def eject(broker: str) -> Eject:
    """An operator's command."""
    return Eject(id="1", principal="ann", reason="disk", broker=broker)


def verdicts(records: list[tuple[str, bytes, bytes | None]]) -> dict[str, Verdict | None]:
    """The newest verdict on each broker."""
    return {
        read_broker_key(key).broker: None if value is None else decode(BROKERS, value)
        for topic, key, value in records
        if topic == f"{PREFIX}{BROKERS.name}"
    }


def folded(cell: Cell, *batches: list[Row]) -> tuple[Cell, list[tuple[str, bytes, bytes | None]]]:
    """Fold batches, each from the bytes that the one before has left."""
    records = []
    for rows in filter(None, batches):
        after = fold(read(write(cell)), rows, RULES)
        cell = after.cell
        records += [(it.topic, it.key, it.value) for it in after.records]
    return cell, records


def test_reports_become_verdicts_and_history() -> None:
    """A failing broker is out after a sweep, and the history says so once."""
    log = Log()
    outage(log)
    _, records = folded(Cell(), log.read())
    told = verdicts(records)

    assert {"a", "b", "c", "d"} == set(told)
    assert ["a"] == [broker for broker, it in told.items() if it and not it.available]
    noted = [decode(HISTORY, value) for topic, _, value in records if topic == f"{PREFIX}history"]
    assert ["a"] == [it.broker for it in noted if isinstance(it, Verdict)]


@given(st.sets(st.integers(1, 50)))
def test_every_cut_ends_with_the_same_verdicts(cuts: set[int]) -> None:
    """However the log is cut, the same records are published in the same order."""
    log = Log()
    outage(log, seconds=13)
    rows = log.read()
    # In log order already: the rows of one batch are never older than those of the one before.
    whole = folded(Cell(), rows)
    edges = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    parts = folded(Cell(), *(rows[low:high] for low, high in pairwise(edges)))

    assert whole[1] == parts[1]


def test_a_jury_comes_back_as_it_was() -> None:
    """Ejections, commands, pasts, streaks and what was said survive being written down."""
    story = ClusterStory()
    story.host("t", "ab")
    story.sweep(times=8)
    story.sweep({"c": FAILS}, times=2)
    story.command("a", available=False, lasting=60_000)
    story.report("r0", *sights({"b": FAILS, "d": 5.0}))
    packed = pack_cluster(story.cluster)

    assert story.cluster == unpack_cluster(packed)
    assert story.cluster.sweep_ends == packed.deadline


def test_a_tick_that_is_due_for_nobody_opens_no_cluster() -> None:
    """And one that is due lets an ejection run out, though nobody speaks."""
    log = Log()
    outage(log, seconds=12)
    cell, _ = folded(Cell(), log.read())
    log.tick(EAST, at=START + 13_000)
    after, records = folded(cell, log.read())
    assert (cell.clusters, []) == (after.clusters, records)

    for second in range(14, 90):
        log.tick(EAST, at=START + 1_000 * second)
    _, records = folded(after, log.read())
    back = verdicts(records)["a"]
    assert back is not None
    assert back.available


def test_operators_and_route_watchers_are_heard() -> None:
    """An eject holds, a topic's last broker is spared, and forgetting leaves a tombstone."""
    log = Log()
    log.append(LATENCY, EAST, Hosts(topic="t", brokers=("a", "b")), at=START)
    log.append(COMMANDS, EAST, eject("a"), at=START + 1)
    log.append(COMMANDS, EAST, eject("b"), at=START + 2)
    cell, records = folded(Cell(), log.read())
    told = verdicts(records)
    assert {"a": False, "b": True} == {name: it.available for name, it in told.items() if it}
    assert told["a"] is not None
    assert "ann: disk" == told["a"].reason

    log.append(
        COMMANDS, EAST, Forget(id="2", principal="ann", reason="new disk", broker="a"), at=START + 3
    )
    _, records = folded(cell, log.read())
    assert verdicts(records)["a"] is None


def test_impossible_figures_are_refused() -> None:
    """What the contract cannot refuse (a zero latency), the jury does; the rest is heard."""
    log = Log()
    log.append(LATENCY, EAST, report("p", 1, a=0.0, b=5.0), at=START)
    log.append(LATENCY, EAST, b'{"v":1,"kind":"sample","latency_ms":NaN}', at=START)
    sample = Sample(reporter="q", broker="b", latency_ms=5.0, isolation=False)
    log.append(LATENCY, EAST, sample, at=START)
    cell, records = folded(Cell(), log.read())

    assert ["invalid", "refused"] == sorted(it.reason for it in letters(records))
    assert [ClusterName(EAST)] == list(cell.clusters.by_name())


def test_figures_that_no_verdict_could_say_are_refused() -> None:
    """Two producers who claim them do not keep the jury from its work."""
    log = Log()
    for reporter in ("x", "y"):
        (broker,) = report(reporter, 1, a=-1.0).brokers
        wild = broker.model_copy(update=dict.fromkeys(("count", "errors"), limits.SAFE_INTEGER))
        said = report(reporter, 1).model_copy(update={"brokers": (wild,)})
        log.append(LATENCY, EAST, said, at=START)
    outage(log, seconds=20)
    _, records = folded(Cell(), log.read())

    assert ["refused", "refused"] == [it.reason for it in letters(records)]
    verdict = verdicts(records)["a"]
    assert verdict is not None
    assert not verdict.available


def test_what_fails_at_a_count_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was reported may be the reason: the next sweep begins without it, and ends."""
    log = Log()

    def wrong(before: Cluster, said: Sequence[BrokerEvent], policy: VerdictPolicy) -> BrokerStep:
        after = deliberated(before, said, policy)
        counted = before.sweep_ends is not None and before.sweep_ends != after.cluster.sweep_ends
        if counted and any("wild" in it.calls for it in before.reporters.values()):
            raise BrokenInvariant("too many calls")
        return after

    monkeypatch.setattr("streaming.cell.brokers.step", wrong)
    log.tick(EAST, at=START)
    log.append(LATENCY, EAST, report("x", 1, wild=5.0), at=START)
    first = fold(Cell(), log.read(), RULES)
    for at in range(20):
        log.tick(EAST, at=START + 1_000 * at)
    second = fold(first.cell, log.read(), RULES)
    for at in range(20, 40):
        log.tick(EAST, at=START + 1_000 * at)
    log.append(LATENCY, EAST, report("x", 2, b=5.0), at=START + 40_000)
    third = fold(second.cell, log.read(), RULES)

    reasons = [
        [it.reason for it in of(each, HISTORY, EAST) if isinstance(it, Ailment)]
        for each in (first, second, third)
    ]
    assert [[], ["BrokenInvariant: too many calls"], [None]] == reasons


def test_a_reporter_from_the_future_is_refused() -> None:
    """It would be the younger one for ever; a clock that is wrong by hours is forgiven."""
    log = Log()
    for hours in (5, 25):
        life = f"{START + hours * 3_600_000}-00000000"
        said = report("p", hours, b=5.0).model_copy(update={"incarnation": life})
        log.append(LATENCY, EAST, said, at=START)
    cell, records = folded(Cell(), log.read())
    (reporter,) = unpack_cluster(cell.clusters.by_name()[ClusterName(EAST)]).reporters.values()

    assert 5 == reporter.sequence
    assert ["incarnation: begins more than a day from now"] == [
        it.detail for it in letters(records)
    ]


def letters(records: list[tuple[str, bytes, bytes | None]]) -> list[DeadLetter]:
    """What became a dead letter."""
    return [
        decode(DEADLETTERS, value) for topic, _, value in records if topic == f"{PREFIX}deadletters"
    ]


def test_a_cluster_that_nobody_speaks_of_is_forgotten() -> None:
    """Its packed is taken away, and its records are withdrawn."""
    log = Log()
    outage(log, seconds=12)
    cell, records = folded(Cell(), log.read())
    for step in range(1, 2_000):
        log.tick(EAST, at=START + 12_000 + 2_000 * step)
    cell, later = folded(cell, log.read())

    assert {} == cell.clusters.by_name()
    assert dict.fromkeys("abcd") == verdicts(records + later)


def test_a_jury_that_fails_concerns_its_cluster_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts stand, commands are sent back, and once it is well that is said."""
    log = Log()

    def wrong(before: Cluster, said: Sequence[BrokerEvent], policy: VerdictPolicy) -> BrokerStep:
        if before.name == ILL:
            raise BrokenInvariant("no such broker")
        return deliberated(before, said, policy)

    def speak(at: int) -> None:
        for cluster in (ILL, WELL):
            sample = Sample(reporter="p", broker="b", latency_ms=5.0, isolation=False)
            log.append(LATENCY, cluster, sample, at=at)
            eject = Eject(id=str(at), principal="ann", reason="disk", broker="b")
            log.append(COMMANDS, cluster, eject, at=at)

    with monkeypatch.context() as patched:
        patched.setattr("streaming.cell.brokers.step", wrong)
        speak(1_000)
        first = fold(Cell(), log.read(), RULES)
        speak(2_000)
        second = fold(first.cell, log.read(), RULES)
    speak(3_000)
    third = fold(second.cell, log.read(), RULES)

    reasons = [
        [it.reason for it in of(each, HISTORY) if isinstance(it, Ailment)]
        for each in (first, second, third)
    ]
    assert [["BrokenInvariant: no such broker"], [], [None]] == reasons
    assert [1, 1, 0] == [len(returned(each)) for each in (first, second, third)]
    assert {ILL, WELL} == set(third.cell.clusters.by_name())
    assert any(it.topic == "t.brokers" and it.key.startswith(WELL.encode()) for it in first.records)


def test_names_of_clusters_that_are_made_up_fill_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more than there is room for becomes a dead letter; those that are known go on."""
    monkeypatch.setattr(brokers, "MOST", 2)
    log = Log()
    first, second, third = neighbours("main", 3)
    for name in (first, second, third, first):
        log.append(LATENCY, name, Hosts(topic="t", brokers=("a",)), at=START)
    log.append(COMMANDS, third, eject("a"), at=START)
    cell, records = folded(Cell(), log.read())

    assert {first, second} == set(cell.clusters.by_name())
    letters = [decode(DEADLETTERS, it) for topic, _, it in records if topic == "t.deadletters"]
    assert ["more than 2 clusters"] * 2 == [it.detail for it in letters]
    answers = [decode(HISTORY, it) for topic, _, it in records if topic == "t.history"]
    assert ["refused"] == [it.outcome for it in answers if isinstance(it, CommandAnswer)]
