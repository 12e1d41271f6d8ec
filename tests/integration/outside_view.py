"""A controller as probes and Prometheus see it, and what Kafka says of the same."""

import re
import time
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection

from confluent_kafka import Consumer, TopicPartition

from streaming.startup.batch_logs import OFFSETS, positions_in
from streaming.topics import ROUTINE, URGENT, names
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import PATIENCE_S
from tests.integration.topics import PARTITIONS

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


def ask(controller: ControllerProcess, path: str) -> tuple[int, str]:
    """Ask a controller's endpoint."""
    port = int(str(controller.settings["controller.http_port"]))
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def metrics(controller: ControllerProcess) -> dict[str, float]:
    """All samples, by name and labels as they are written."""
    status, text = ask(controller, "/metrics")
    assert 200 == status
    return {f"{name}{{{labels}}}": float(value) for name, labels, value in _SAMPLE.findall(text)}


def counts(found: dict[str, float], name: str, label: str) -> Counter[tuple[str, str]]:
    """The series of a counter, by topic and one more label."""
    series = re.compile(rf'trimtab_{name}\{{topic="(.*)",{label}="(.*)"\}}')
    return Counter(
        {(it[1], it[2]): int(n) for name, n in found.items() if (it := series.fullmatch(name))}
    )


def appended(servers: str, prefix: str) -> int:
    """How many records there are on the topics that the controller reads."""
    with closing(Consumer({"bootstrap.servers": servers, "group.id": "counting"})) as consumer:
        places = [
            TopicPartition(name, partition)
            for name in names(prefix, (*URGENT, *ROUTINE))
            for partition in range(PARTITIONS)
        ]
        return sum(consumer.get_watermark_offsets(it, 30)[1] for it in places)


def each_input_is_counted_once(controller: ControllerProcess) -> dict[str, float]:
    """Check that all results together are all records (I12); return the samples.

    A tick that was there before may be read by the third batch from now. All that was read by the
    batch that the samples name is what stands before the positions in its plan.
    """
    before = appended(controller.servers, controller.prefix)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        controller.commit()
        found = metrics(controller)
        results = counts(found, "input_records_total", "result")
        if results.total() >= before:
            break
        assert time.monotonic() < deadline, (before, results)

    plan = controller.home / "checkpoint" / OFFSETS / f"{found['trimtab_batch_id{}']:.0f}"
    assert sum(positions_in(plan.read_text()).values()) == results.total(), results
    return found
