"""What an operator sees of the query in Spark's own pages."""

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from console.embedded.jars import JarCache
from streaming import first_task
from streaming.class_archive import place
from streaming.process.readiness import read
from streaming.query_listener import OBSERVED, STAGE_NAME
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import PATIENCE_S

OURS = "metrics_trimtab_driver_AccumulatorSource"
pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def ask(ui: str | None, question: str) -> list[dict[str, Any]]:
    """Ask Spark's REST API, which shows what the pages show."""
    address = urlsplit(ui or "")
    assert "127.0.0.1" == address.hostname
    with closing(HTTPConnection("127.0.0.1", address.port or 0, timeout=60)) as connection:
        connection.request("GET", f"/api/v1/applications{question}")
        answer: list[dict[str, Any]] = json.load(connection.getresponse())
    return answer


def test_figures_are_among_spark_s_own(controller: ControllerProcess) -> None:
    """In the sink for Prometheus: the query's, and ours of the last status."""
    readiness = read(controller.home)
    assert readiness is not None
    address = urlsplit(readiness.ui or "")
    deadline = time.monotonic() + PATIENCE_S
    text = ""
    while not all(f"{OURS}_{it}_Value" in text for it in ("groups", "moves", "lag_ms")):
        assert time.monotonic() < deadline, text
        with closing(HTTPConnection("127.0.0.1", address.port or 0, timeout=60)) as connection:
            connection.request("GET", "/metrics/prometheus/")
            text = connection.getresponse().read().decode()

    assert "metrics_trimtab_driver_spark_streaming_trimtab_inputRate_total_Value" in text


def test_pages_are_on_loopback_alone(controller: ControllerProcess) -> None:
    """Unless `controller.ui_address` says otherwise (``test_cluster``): they have no password."""
    readiness = read(controller.home)
    assert readiness is not None
    elsewhere = HTTPConnection("127.0.0.2", urlsplit(readiness.ui or "").port or 0, timeout=60)
    with closing(elsewhere), pytest.raises(ConnectionRefusedError):
        elsewhere.request("GET", "/")


def test_what_is_observed_has_a_name(controller: ControllerProcess) -> None:
    """The plan of a batch shows where its decisions are counted."""
    readiness = read(controller.home)
    assert readiness is not None
    (application,) = ask(readiness.ui, "")
    executed = ask(readiness.ui, f"/{application['id']}/sql?planDescription=true")
    plans = [str(it["planDescription"]) for it in executed]

    assert any("CollectMetrics" in it and OBSERVED in it for it in plans), plans[-1:]


def test_query_batch_and_rows_can_be_seen(controller: ControllerProcess) -> None:
    """Jobs and stages name the query, its id and the batch; stages are named and count rows."""
    readiness = read(controller.home)
    assert readiness is not None
    (application,) = ask(readiness.ui, "")
    stages = ask(readiness.ui, f"/{application['id']}/stages?status=complete")
    stages = [it for it in stages if it["name"] != first_task.STAGE_NAME]  # forgotten soon

    assert "trimtab" == application["name"]
    assert {STAGE_NAME} == {stage["name"] for stage in stages}
    described = re.compile(
        rf"trimtab\nid = {re.escape(readiness.query)}\nrunId = [-0-9a-f]+\nbatch = \d+"
    )
    assert [] == [stage for stage in stages if not described.fullmatch(stage["description"])]
    assert 0 < sum(stage["shuffleReadRecords"] for stage in stages)


def test_java_takes_classes_from_the_archive(controller: ControllerProcess) -> None:
    """The set-up has written them down (`trimtab prepare`); this start has them in its memory."""
    archive = place(JarCache.default().spark)
    assert archive.exists()
    assert any(str(archive) in maps for maps in mapped_by(controller.pid))


def mapped_by(group: int) -> Iterator[str]:
    """The files that the processes of a process group have in their memory."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if os.getpgid(int(process.name)) == group:
                yield (process / "maps").read_text()
