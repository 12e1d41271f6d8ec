"""Each committed batch is counted once, and so is each record (invariant I12)."""

import json

from streaming.metrics.account import OK, UNKNOWN, Account, Batch, Source
from streaming.metrics.catalogue import Metrics
from streaming.metrics.families import MOST_SERIES
from streaming.metrics.tally import Tally
from streaming.process.horizon import Horizon

BEATS = "t.heartbeats"


def at(**topics: tuple[int, int]) -> str:
    """Where a source stands in two partitions of its topics."""
    return json.dumps({f"t.{it}": {"0": one, "1": two} for it, (one, two) in topics.items()})


def batch(*sources: Source, tallies: tuple[Tally, ...] = ()) -> Batch:
    """A batch that took a second, a quarter of it for planning."""
    return Batch(7, {"triggerExecution": 1_000, "queryPlanning": 250}, sources, tallies)


class Counted:
    """Metrics, and the account that fills them."""

    def __init__(self) -> None:
        self.metrics, self.horizon = Metrics(), Horizon(BEATS)
        self.account = Account(self.metrics, self.horizon, "t.")

    def enter(self, *sources: Source, **tally: object) -> None:
        """Enter a batch."""
        self.account.enter(batch(*sources, tallies=(Tally(**tally),) if tally else ()))  # type: ignore[arg-type]  # its fields

    def read(self, topic: str, result: str = OK) -> float:
        """How many records of a topic came to that."""
        return self.metrics.query.read.value(topic, result)


def test_what_lies_between_two_offsets_was_read_once() -> None:
    """By topic, whatever the partition; what is left is the lag."""
    counted = Counted()
    source = Source(at(members=(3, 4)), at(members=(5, 9)), at(members=(6, 9)), 7)
    counted.enter(source, Source(at(heartbeats=(1, 1)), at(heartbeats=(1, 1)), None, 0))

    assert (7, 0) == (counted.read("members"), counted.read("heartbeats"))
    assert 1 == counted.metrics.query.left.value("members")


def test_a_partition_that_is_new_is_read_from_its_start() -> None:
    """Nothing says where that was but that it was not there."""
    counted = Counted()
    start = json.dumps({"t.members": {"0": 3}})
    counted.enter(Source(start, at(members=(3, 2)), None, 2))

    assert 2 == counted.read("members")


def test_results_add_up_to_what_was_read() -> None:
    """A dead letter counts by its reason, and is not ok as well."""
    counted = Counted()
    source = Source(at(members=(0, 0)), at(members=(10, 0)), None, 10)
    counted.enter(source, letters=[("members", "garbage", 3, 3), ("members", "refused", 1, 1)])

    results = counted.read("members", "garbage"), counted.read("members", "refused")
    assert (3, 1, 6) == (*results, counted.read("members"))


def test_a_record_that_waited_is_not_counted_again() -> None:
    """It was ok when it was read; its dead letter comes later, and is one."""
    counted = Counted()
    counted.enter(Source(at(members=(0, 0)), at(members=(5, 0)), None, 5))
    counted.enter(
        Source(at(members=(5, 0)), at(members=(6, 0)), None, 1),
        letters=[("members", "refused", 3, 0)],
    )

    assert (0, 6) == (counted.read("members", "refused"), counted.read("members"))
    assert 3 == counted.metrics.query.letters.value("members", "refused")


def test_the_first_batch_of_a_checkpoint_is_counted_as_a_whole() -> None:
    """Spark does not say where its topics began."""
    counted = Counted()
    urgent = Source(None, at(members=(10, 0), routes=(5, 0)), None, 12)
    routine = Source(at(heartbeats=(0, 0)), at(heartbeats=(3, 0)), None, 3)
    counted.enter(
        urgent, routine, letters=[("members", "garbage", 2, 2), ("heartbeats", "garbage", 1, 1)]
    )

    assert (10, 2) == (counted.read(UNKNOWN), counted.read("members", "garbage"))
    assert 2 == counted.read("heartbeats")
    assert 15 == counted.metrics.query.read.total()


def test_a_batch_enters_what_was_decided() -> None:
    """From each tally."""
    counted = Counted()
    counted.enter(
        rebalances=[("billing", "join", 2, 8)],
        changes=[("joined", "join", 3), ("expired", "expiry", 1), ("fenced", "fence", 2)],
        handovers={"released": 1},
        durations=[0] * 4 + [1] + [0] * 8,
        duration_s=0.13,
        notes={"claim": 1},
        oldest_ms=1,
        written={"assignments": 4},
        verdicts=[("east", "a", False, False), ("east", "b", True, True)],
        ejections=[("east", "a", 7, "latency")],
    )
    brain, brokers = counted.metrics.brain, counted.metrics.brokers

    assert 2 == brain.rebalances.value("billing", "join")
    assert 8 == brain.moves.value("billing", "join")
    assert (3, 1) == (brain.members.value("joined"), brain.members.value("expired"))
    assert (1, 2) == (brain.expired.value("expiry"), brain.fenced.value("fence"))
    assert (1, 1, 1) == (brain.handovers.total(), brain.move_duration.count, brain.delay.count)
    assert 1 == brain.notes.value("claim")
    assert 4 == counted.metrics.query.written.value("assignments")
    assert (0, 1) == (brokers.available.value("east", "a"), brokers.available.value("east", "b"))
    assert (1, 1) == (brokers.panic.value("east"), brokers.ejections.value("a", "latency"))

    counted.enter(gone=[("east", "b")])
    assert 0 == brokers.available.total()


def test_a_cluster_that_is_forgotten_leaves_no_panic_behind() -> None:
    """Names that were made up would leave no room for a real cluster's."""
    counted = Counted()
    made_up = [(f"c{number}", "a", True, False) for number in range(MOST_SERIES)]
    counted.enter(verdicts=made_up)
    counted.enter(gone=[it[:2] for it in made_up])
    counted.enter(verdicts=[("east", "a", True, True), ("east", "b", True, True)])
    counted.enter(gone=[("east", "a")])

    assert {("east",): 1} == counted.metrics.brokers.panic.values()


def test_an_ejection_that_is_said_again_counts_once() -> None:
    """As at each begin and end of a panic; one of another time is another one."""
    counted, told = Counted(), (7, 7, 7, 9)
    for since_ms in told:
        counted.enter(ejections=[("east", "a", since_ms, "operator")])
    counted.enter(gone=[("east", "a")])
    counted.enter(ejections=[("east", "a", 9, "operator")])

    assert 3 == counted.metrics.brokers.ejections.value("a", "operator")


def test_the_run_of_the_query_is_shown() -> None:
    """Batches, what they took, and how far they are behind the newest tick."""
    counted = Counted()
    counted.horizon.begin("s")
    for number in range(1, 4):
        counted.horizon.ticked("s", 0, number, number, 1_000 * number)
    counted.horizon.committed([(at(heartbeats=(2, 0)), "null")])
    counted.enter()
    query = counted.metrics.query

    assert (1, 7, 1) == (query.batches.total(), query.batch.value(), query.duration.count)
    assert 0.25 == query.phases.value("queryPlanning")
    assert (2, 1) == (query.lag.value(), query.clock.value("0"))


def test_how_far_behind_is_left_out_while_it_is_not_known() -> None:
    """That is not nothing: an alert would be told that all is well."""
    counted = Counted()
    counted.horizon.begin("s")
    counted.enter()
    assert {} == counted.metrics.query.lag.values()

    counted.horizon.ticked("s", 0, 9, 1, 1_000)
    counted.horizon.ticked("s", 0, 10, 2, 41_000)
    counted.enter()
    assert 40 == counted.metrics.query.lag.value()
