"""The demo as a newcomer runs it, without a terminal: the end-to-end test of everything.

A real Kafka, a real Spark query, real members that join, leave and are killed, and a controller
that is killed: what the summary says, the processes have witnessed.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from console.embedded.instance import Instance
from console.file_lock import FileLock

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

_CLEAR_S = 30.0
"""What Kafka and Spark may take to end when their parent is gone; usually under five seconds."""


def command(home: Path) -> list[str]:
    """`trimtab demo` in a home of its own."""
    return [sys.executable, "-m", "console.main", "demo", "-o", "json", "--set", f"home={home}"]


def is_clear(home: Path) -> bool:
    """Whether nothing of a demo runs any more: its processes hold a lock, and so does its Kafka."""
    locked = FileLock(home / "demo.lock").is_held()
    return not locked and not Instance(home / "demo").is_running()


@pytest.mark.timeout(
    1_200
)  # a minute on two idle cores; Spark starts twice, and slowly on busy ones
def test_the_demo_succeeds(tmp_path: Path) -> None:
    """Every step comes to rest; nothing lost, no two owners, nothing moves for the controller."""
    demo = subprocess.run(command(tmp_path), capture_output=True, text=True, check=False)
    assert demo.returncode == 0, demo.stderr

    summary = json.loads(demo.stdout)
    steps = {step["title"]: step for step in summary["steps"]}
    assert list(steps) == [
        "4 members join",
        "worker-5 joins",
        "worker-2 leaves",
        "worker-3 is killed (SIGKILL)",
        "the controller is killed (SIGKILL)",
        "the controller returns",
        "worker-6 joins",
        "the producer stops",
    ]
    assert (summary["lost"], summary["owned_twice"], summary["strays"]) == (0, 0, 0)
    assert summary["seen_twice"] == summary["seen_twice_after_kill"]
    assert summary["processed"] == summary["produced"] + summary["seen_twice"]
    assert steps["the controller is killed (SIGKILL)"]["moves"] == 0
    assert steps["the controller returns"]["moves"] == 0
    passing = [steps[title] for title in ("worker-5 joins", "worker-2 leaves", "worker-6 joins")]
    assert all(step["moves"] > 0 for step in passing)
    # Not a heartbeat: the baton. All queues of a step rest at once, so a pause may spoil one step.
    assert all(step["rest_ms_p50"] < 4_000 for step in passing)
    assert median(step["rest_ms_p50"] for step in passing) < 1_000
    assert steps["worker-3 is killed (SIGKILL)"]["rest_ms_max"] > 4_000  # a session: nobody knew
    assert is_clear(tmp_path)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_demo(tmp_path: Path, how: signal.Signals) -> None:
    """However it ends, in the middle of the story: no process is left, and no traceback."""
    demo = subprocess.Popen(
        command(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert demo.stderr is not None
    with demo.stderr as said:
        opening: list[str] = []
        while "step 1 of 8" not in "".join(opening[-1:]):
            opening.append(said.readline())
            assert opening[-1], "".join(opening)
        demo.send_signal(how)
        last_words = said.read()

    assert demo.wait() == (130 if how is signal.SIGTERM else -signal.SIGKILL)
    assert "Traceback" not in last_words
    deadline = time.monotonic() + _CLEAR_S
    while not is_clear(tmp_path):
        assert time.monotonic() < deadline, "something of the demo still runs"
        time.sleep(0.1)
