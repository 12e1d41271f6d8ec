"""Ready: a batch was committed within the last ticks."""

import os
import socket
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.request import urlopen

from streaming.application import _endpoint
from streaming.metrics.catalogue import Metrics
from streaming.metrics.probes import alive, could_take_over, ready
from streaming.process.readiness import Readiness, file_of, stand_by, write


def committed(home: Path, age_s: float) -> None:
    """The last batch was committed so long ago."""
    write(home, Readiness(os.getpid(), "q", 3, None))
    at = time.time() - age_s
    os.utime(file_of(home), (at, at))


def test_it_is_ready_while_it_commits_batches(tmp_path: Path) -> None:
    """Ten ticks are its patience; before the first batch it is not, and it lives all the while."""
    assert not ready(tmp_path, 1_000).is_well
    committed(tmp_path, 5)
    assert ready(tmp_path, 1_000).is_well
    committed(tmp_path, 15)
    found = ready(tmp_path, 1_000)
    assert (False, "no batch for more than 10 s") == (found.is_well, found.details["reason"])
    assert ready(tmp_path, 2_000).is_well
    assert alive().is_well


def test_a_standby_says_that_it_is_one(tmp_path: Path) -> None:
    """Ready while it follows; from its first batch on it is a controller like any other."""
    stand_by(tmp_path)
    found = ready(tmp_path, 1_000)
    assert (True, {"role": "standby"}) == (found.is_well, found.details)
    assert could_take_over(tmp_path, 1_000)

    long_ago = time.time() - 15
    os.utime(tmp_path / "standby", (long_ago, long_ago))
    found = ready(tmp_path, 1_000)
    assert (False, "standby") == (found.is_well, found.details["role"])
    assert not could_take_over(tmp_path, 1_000)

    committed(tmp_path, 5)
    assert "role" not in ready(tmp_path, 1_000).details


def test_prometheus_sees_a_standby_only_while_it_could_take_over(tmp_path: Path) -> None:
    """One that is cut off from Kafka is none; the gauge is what the probe says."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = SimpleNamespace(address="127.0.0.1", port=port)
    options = cast("Any", SimpleNamespace(endpoint=where, home=tmp_path, rhythm_ms=1_000))
    with _endpoint(options, Metrics()) as url:

        def standbys() -> str:
            with urlopen(f"{url}/metrics") as answer:  # noqa: S310 - our own, by HTTP
                lines = answer.read().decode().splitlines()
            return str(next(it for it in lines if it.startswith("trimtab_standby ")))

        stand_by(tmp_path)
        assert "trimtab_standby 1" == standbys()
        long_ago = time.time() - 15
        os.utime(tmp_path / "standby", (long_ago, long_ago))
        assert "trimtab_standby 0" == standbys()
        stand_by(tmp_path)
        assert "trimtab_standby 1" == standbys()
        committed(tmp_path, 5)
        assert "trimtab_standby 0" == standbys()
