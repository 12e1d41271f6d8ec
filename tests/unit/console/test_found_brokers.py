"""Of brokers that run in a home already, one is used that stays; the broker itself is Kafka's."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any
from unittest.mock import MagicMock

import pytest

from console.embedded import broker
from console.embedded.broker import EmbeddedKafka
from console.embedded.instance import BrokerAddress

OWN = BrokerAddress(1, 19_093, os.getpid())
SHUTS_DOWN_S = 0.5


def ended() -> int:
    """A process that was killed."""
    with subprocess.Popen(["sleep", "60"]) as process:
        process.kill()
    return process.pid


@pytest.mark.parametrize(
    ("owner", "is_found"),
    [
        pytest.param(lambda: None, True, id="it stays until it is stopped"),
        pytest.param(os.getpid, True, id="its program is there"),
        pytest.param(ended, False, id="its program was killed"),
    ],
)
def test_a_broker_that_lost_its_program_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    owner: Callable[[], int | None],
    *,
    is_found: bool,
) -> None:
    """It answers for a moment yet, and whoever took it for its own would lose it."""
    monkeypatch.setattr(broker, "answers", lambda *_: True)
    monkeypatch.setattr(broker, "find_java", lambda: Path("java"))
    monkeypatch.setattr(broker._Start, "_launch", lambda *_: OWN)  # noqa: SLF001 - Java's part
    jars: Any = MagicMock()
    kafka = EmbeddedKafka(tmp_path, jars=jars)
    kafka.instance.prepare()
    (kafka.instance.data / "meta.properties").write_text("cluster.id=c\n")
    there = BrokerAddress(2, 19_092, owner())
    lock = kafka.instance.lock()
    assert lock.acquire(wait=False)
    kafka.instance.announce(there)
    timer = Timer(SHUTS_DOWN_S, lock.release)
    timer.start()
    with kafka:
        found = kafka.bootstrap_servers
    timer.join()

    assert (there if is_found else OWN).bootstrap_servers == found
