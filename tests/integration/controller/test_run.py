"""`trimtab run` as a process: what it needs, what it refuses, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from console.embedded.instance import Instance
from streaming.process import readiness
from streaming.process.standard_error import standard_error_to
from tests.builders.checkout import ROOT, text
from tests.builders.examples import plain_blocks
from trimtab.protocol import TOPICS

pytestmark = pytest.mark.kafka

START_PATIENCE_S = 200.0
"""Spark starts in 15 s on two idle cores; on shared ones it has taken 100."""
STOP_PATIENCE_S = 120.0
"""It ends in seconds; told while Spark starts, it starts Spark first."""


NO_PAGES = ("--set", "controller.ui_port=0", "--set", "controller.http_port=0")


@contextmanager
def controller(home: Path, *options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A controller on a home, without Spark's pages; gone at the end of the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "console.main", "run", *NO_PAGES, *options],
        env={**os.environ, "TRIMTAB_HOME": str(home), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def shell(typed: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """What somebody types in a folder, whose home is below it; gone at the end of the block."""
    quiet = {"TRIMTAB_CONTROLLER__HTTP_PORT": "0", "TRIMTAB_CONTROLLER__UI_PORT": "0"}
    own = {"HOME": f"{folder}/user", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        ["bash", "-ec", typed],
        cwd=folder,
        env={**os.environ, **quiet, **own, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    out, err = process.communicate(timeout=STOP_PATIENCE_S)
    return process.returncode, out, err


def refusal(home: Path, *options: str, **environment: str) -> tuple[int, str, str]:
    """How a controller ends that does not start."""
    with controller(home, *options, **environment) as process:
        return finish(process)


def wait_until_ready(process: subprocess.Popen[str], home: Path) -> None:
    """Wait for the sign that the first batch is done."""
    deadline = time.monotonic() + START_PATIENCE_S
    while readiness.read(home) is None:
        assert process.poll() is None, finish(process)[2]
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_it_brings_its_own_kafka_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Without settings it runs; nobody else may run in its home; told to stop, it exits with 0."""
    with controller(tmp_path) as process:
        wait_until_ready(process, tmp_path)
        assert Instance(tmp_path).is_running()

        code, out, err = refusal(tmp_path)
        assert (1, "") == (code, out)
        assert f"another controller runs in {tmp_path}: stop it" in err.splitlines()[-1]

        process.send_signal(signal.SIGTERM)
        code, out, err = finish(process)
    assert (0, "") == (code, out), err
    assert "Traceback" not in err
    assert readiness.read(tmp_path) is None
    assert not Instance(tmp_path).is_running()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_two_ways_of_the_readme_work_one_after_the_other(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """In one checkout, as they are printed there; each keeps its state in a place of its own."""
    command = tmp_path / ".venv" / "bin" / "trimtab"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m console.main "$@"\n')
    command.chmod(0o755)
    (block,) = (it for it in plain_blocks(text(Path("README.md"))) if "topics init" in it)
    block = block.replace("broker-1:9092", kafka.bootstrap_servers)
    block = re.sub(r".*REPLICATION_FACTOR.*\n", "", block)  # it says so, for one broker
    for typed, home in ((".venv/bin/trimtab run", ".trimtab"), (block, "user/trimtab")):
        with shell(typed, tmp_path, TRIMTAB_TOPICS__PREFIX=topics_prefix) as process:
            wait_until_ready(process, tmp_path / home)
            at_work = readiness.read(tmp_path / home)
            assert at_work is not None
            os.kill(at_work.pid, signal.SIGTERM)
            code, _, err = finish(process)
        assert 0 == code, err


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_it_ends_with_its_own_kafka(tmp_path: Path) -> None:
    """Nobody else would start that again: one line says so, and the exit code is 1."""
    with controller(tmp_path) as process:
        wait_until_ready(process, tmp_path)
        broker = Instance(tmp_path).running()
        assert broker is not None
        os.killpg(broker.pid, signal.SIGKILL)
        code, out, err = finish(process)

    assert (1, "") == (code, out), err
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith(
        "trimtab: the controller ended: the feed of the embedded Kafka ended: its"
    )
    assert readiness.read(tmp_path) is None


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_told_to_end_while_spark_starts_it_leaves_no_jvm_behind(tmp_path: Path) -> None:
    """A JVM that loses its parent while it starts would never end, and keep the next one out."""
    output = tmp_path / "logs" / "spark.out"
    with controller(tmp_path) as process:
        while not output.exists():
            assert process.poll() is None, finish(process)[2]
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        code, out, err = finish(process)
    assert (0, "") == (code, out), err
    assert "Traceback" not in err

    with standard_error_to(output):
        pass  # whoever still wrote to it would have it locked


def test_topics_that_are_missing_are_refused(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """On a cluster of somebody else's nothing is created by the way: exit code 3, a line each."""
    code, out, err = refusal(
        tmp_path,
        TRIMTAB_KAFKA__BOOTSTRAP_SERVERS=kafka.bootstrap_servers,
        TRIMTAB_TOPICS__PREFIX=topics_prefix,
    )
    assert (3, "") == (code, out)
    missing = f"trimtab: {topics_prefix}members is missing: create it with `trimtab topics init`"
    assert missing in err.splitlines()
    assert len(TOPICS) == len(err.splitlines())


def test_a_start_that_fails_is_told_in_json_alone(tmp_path: Path) -> None:
    """Each line is an object, the last one has the exit code: 5 without Kafka, 2 without a home."""
    in_json = {"TRIMTAB_LOG__FORMAT": "json", "TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1"}
    (tmp_path / "file").write_text("")
    for home, expected in ((tmp_path / "home", 5), (tmp_path / "file", 2)):
        code, out, err = refusal(home, **in_json)
        lines = [json.loads(line) for line in err.splitlines()]

        assert (expected, "") == (code, out), err
        assert expected == lines[-1]["exit_code"]
        assert "error" == lines[-1]["level"]


def test_a_settings_error_comes_before_everything(tmp_path: Path) -> None:
    """Exit code 2 and one line; no file has been written, no process started."""
    code, out, err = refusal(tmp_path / "home", TRIMTAB_POLICY__STRATEGI="AVG")
    assert (2, "") == (code, out)
    assert 1 == len(err.splitlines())
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--take-over",), "use --standby or --take-over, not both"),
        (("--new-checkpoint",), "use --standby or --new-checkpoint, not both"),
        ((), "set kafka.bootstrap_servers"),
    ],
    ids=["takes over", "forgets", "has no Kafka"],
)
def test_a_standby_that_could_never_be_one_is_refused(
    tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    """It waits for another controller, and goes on from that one's checkpoint, on one Kafka."""
    code, out, err = refusal(tmp_path / "home", "--standby", *options)

    assert (2, "") == (code, out)
    assert err.splitlines()[-1].endswith(reason), err
