"""A controller that cannot go on says why, in a line that needs no other."""

import json
import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

FAILED, HUNG = 1, 6
PATIENCE_S = 120.0
WORKERS = """\
import sys

if "pyspark.daemon" in sys.orig_argv:
"""
"""Python runs `sitecustomize` first of all, in Spark's workers too."""
OTHER_VERSION = """\
    from streaming.cell import codec

    codec.VERSION = 99
"""
NO_PACKAGE = """\
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "msgspec":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    sys.meta_path.insert(0, Missing())
"""


def test_a_jvm_that_does_not_start_says_why(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """What it wrote before it gave up."""
    wrong = '{"spark.driver.extraJavaOptions": "-javaagent:nowhere.jar"}'
    settings = {"spark.options": wrong}
    controller = ControllerProcess(tmp_path, kafka.bootstrap_servers, topics_prefix, **settings)

    assert FAILED == controller.refuses()
    (line,) = controller.lines("trimtab: the controller ended: Spark's JVM did not start")
    assert "Error opening zip file or JAR manifest missing : nowhere.jar" in line


@pytest.mark.timeout(900)  # three starts of Spark
def test_the_cause_is_what_the_user_sees(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JVM that hangs, state of another version, a package that workers lack: what to do."""
    patience = {"controller.stuck_after": "20s", "log.format": "json"}
    servers = kafka.bootstrap_servers
    with ControllerProcess(tmp_path, servers, topics_prefix, **patience) as controller:
        os.kill(jvm_of(controller.pid), signal.SIGSTOP)
        assert HUNG == controller.ends(PATIENCE_S)
        assert controller.lines('"event": "the controller hangs: no batch was committed for')
        assert controller.lines("no batch committed", '"kafka": "takes ticks"')
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

        for what, cause, remedy in (
            (OTHER_VERSION, "the checkpoint holds state of version 2", "--new-checkpoint"),
            (NO_PACKAGE, "No module named 'msgspec'", "install trimtab's there"),
        ):
            (tmp_path / "sitecustomize.py").write_text(WORKERS + what)
            assert FAILED == controller.refuses()
            (line,) = controller.lines('"event": "the controller ended: ', cause)
            assert remedy in line
        assert not controller.lines("; retrying")
        ends = [json.loads(line).get("exit_code") for line in controller.lines()]  # JSON alone
        assert [HUNG, FAILED, FAILED] == [code for code in ends if code is not None]


@pytest.mark.timeout(900)  # three starts of Spark
def test_a_place_that_cannot_be_written_is_named(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """The key, the place and what to do; before another controller is told to end."""
    (tmp_path / "file").write_text("")
    unmovable = tmp_path / ("c" * 240)  # no room for another name
    for place, further in (
        (tmp_path / "file" / "checkpoint", ()),
        ("/proc/trimtab/checkpoint", ()),
        (unmovable, ("--standby",)),
    ):
        controller = ControllerProcess(
            tmp_path,
            kafka.bootstrap_servers,
            topics_prefix,
            further,
            **{"controller.checkpoint": place},
        )

        assert FAILED == controller.refuses()
        (line,) = controller.lines(f"controller.checkpoint is {place}, which cannot be used")
        assert line.startswith("trimtab: the controller ended: controller.checkpoint")
        assert "choose another place: no queue moves" in line
        above = f"write in {tmp_path}, where it is given another name"
        assert (place == unmovable) == (above in line)
        assert not controller.lines("Traceback")
        assert not controller.lines("retrying")
    assert [unmovable] == list(tmp_path.glob("c" * 240 + "*"))


@pytest.mark.timeout(900)  # two starts of Spark
def test_a_jvm_that_ends_ends_its_controller(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> None:
    """At once, and not as a query that fails and may be tried again: there is nothing to run it.

    So does that of a standby, which would take over, and then could not go on.
    """
    shared: dict[str, object] = {"controller.checkpoint": tmp_path / "checkpoint"}
    a, b = (
        ControllerProcess(
            tmp_path / name,
            kafka.bootstrap_servers,
            topics_prefix,
            further,
            **{"controller.name": name, **shared},
        )
        for name, further in (("a", ()), ("b", ("--standby",)))
    )
    with ExitStack() as running:
        running.callback(a.kill)
        a.start()
        running.callback(b.kill)
        b.stand_by()
        for controller, how in ((b, signal.SIGKILL), (a, signal.SIGTERM)):
            os.kill(jvm_of(controller.pid), how)

            assert FAILED == controller.ends(PATIENCE_S)
            assert controller.lines("trimtab: the controller ended: Spark ended by itself")
            assert not controller.lines("cannot be used")


def jvm_of(controller: int) -> int:
    """The JVM below a controller."""
    command = ["ps", "-o", "pid=,comm=", "--ppid", str(controller)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (found,) = (line for line in listed.splitlines() if line.endswith("java"))
    return int(found.split()[0])
