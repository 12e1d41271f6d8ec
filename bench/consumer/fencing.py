"""What it costs to have Kafka fence: how late queues begin, a commit, threads and memory.

    python -m bench.consumer.fencing SERVERS SIDE NUMBER

Run by the command, once for each side, in a process of its own. A commit is of one message in each
queue, so that there is news of all of them. Both sides do the same.
"""

import json
import subprocess
import sys
import time
from contextlib import closing
from statistics import median
from typing import Final

from confluent_kafka import Producer

from bench.consumer.footprint import FEW, MESSAGES, now
from bench.consumer.sides import PARTITIONS, ours
from trimtab import Consumer

SIDES: Final = ("by its clock", "transactional")
_COMMITS: Final = 30
_PROCESSES: Final = 3
"""Of each side: the first one may find a Kafka that has never had a transaction."""
_WAIT_S: Final = 5.0
_ALONE_S: Final = "1h"
"""Nothing is committed by time."""
Cost = dict[str, float]


def cost(servers: str, side: str) -> Cost:
    """Measure one side: the medians of some processes, one after the other."""
    command = [sys.executable, "-m", "bench.consumer.fencing", servers, side]
    costs: list[Cost] = []
    for number in range(_PROCESSES):
        each = [*command, str(number)]
        done = subprocess.run(each, check=True, stdout=subprocess.PIPE, text=True)
        costs.append(json.loads(done.stdout))
    return {what: median(it[what] for it in costs) for what in costs[0]}


def _measured(servers: str, side: str, group: str) -> Cost:
    assigned: list[float] = []
    consumer = ours(
        servers,
        group,
        FEW,
        fencing="transactional" if side == SIDES[1] else None,
        commit_interval=_ALONE_S,
        recommit_interval=_ALONE_S,
        on_assigned=lambda _: assigned.append(time.perf_counter()),
    )
    settings = {"bootstrap.servers": servers, "linger.ms": 0, "log_level": 2}
    with closing(Producer(settings)) as producer, consumer:
        _take(consumer, 1)
        began = time.perf_counter()
        _take(consumer, MESSAGES - 1)
        consumer.poll(0)  # the last one is done
        commits = [_commit(consumer, producer) for _ in range(_COMMITS)]
        costs = {"begin_ms": (began - assigned[0]) * 1e3, "commit_ms": median(commits) * 1e3}
        return {**costs, **now()}


def _commit(consumer: Consumer, producer: Producer) -> float:
    for number in range(PARTITIONS):
        producer.produce(FEW, bytes(100), partition=number)
    producer.flush()
    _take(consumer, PARTITIONS)
    consumer.poll(0)
    began = time.perf_counter()
    consumer.commit()
    return time.perf_counter() - began


def _take(consumer: Consumer, count: int) -> None:
    for _ in range(count):
        if consumer.poll(_WAIT_S) is None:
            raise TimeoutError("no message came")


def main() -> None:
    """Be one side."""
    servers, side, number = sys.argv[1:]
    sys.stdout.write(json.dumps(_measured(servers, side, f"{side} {number}")))


if __name__ == "__main__":
    main()
