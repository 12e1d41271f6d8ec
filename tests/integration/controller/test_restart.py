"""What may become of a controller that is killed: one group lives through all of it.

One story, since each start of Spark takes ten seconds, and since that is how it comes: one thing
after the other, over the same log.
"""

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from streaming.cell.codec import READABLE
from streaming.startup.incumbent import AT_WORK
from streaming.startup.supersession import TAKEN_OVER
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller.watched_group import WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

TAKEN = 7
GIVES_WAY_S = 30.0
BRIEFLY_S = 3.0


@pytest.mark.timeout(1_500)  # six starts of Spark
def test_nothing_moves_whatever_becomes_of_the_controller(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """It is killed, damaged, forgets, remembers what is old, is replaced; and goes on deciding."""
    servers, home, backup = kafka.bootstrap_servers, tmp_path / "first", tmp_path / "backup"
    controller = ControllerProcess(home, servers, topics_prefix)
    younger = ControllerProcess(tmp_path / "second", servers, topics_prefix, ["--take-over"])
    with ExitStack() as running:
        for it in (controller, younger):
            running.push(it)  # stopped when their members have left
        controller.start()
        published = running.enter_context(closing(Published(servers, topics_prefix)))
        members = [running.enter_context(lone_member(name)) for name in "ab"]
        watched = WatchedGroup(published, group, members)

        it_comes_back(controller, watched, backup)
        members.append(running.enter_context(lone_member("c")))
        watched.settle()
        assert all(watched.assignments())

        it_is_damaged(controller, watched)
        it_has_forgotten(controller, watched)
        it_remembers_what_is_old(controller, watched, backup)
        another_takes_over(younger, controller, watched)


def it_comes_back(controller: ControllerProcess, watched: WatchedGroup, backup: Path) -> None:
    """Killed, away for a session, and newer: nothing is said but what was said before (A1, A8)."""
    watched.settle()
    controller.commit()  # what its last batch says by other topics
    with watched.unmoved(lasting=SESSION_S):
        published = watched.published
        assignments, said = dict(published.assignments), list(published.history)
        controller.kill()
        shutil.copytree(controller.home / "checkpoint", backup)
        terms = controller.home / "checkpoint" / "trimtab.json"
        present = json.loads(terms.read_text())
        terms.with_name(f".{terms.name}.crc").unlink()  # Hadoop's checksum of it
        terms.write_text(json.dumps({**present, "state": min(READABLE)}))  # an older release's
        terms.rename(terms.with_name(f".{terms.name}.new"))  # a start was killed while it wrote it
        published.watch(SESSION_S)
        it_is_said_to_be_gone(controller)
        controller.start()
    controller.commit()
    published.catch_up()
    assert present == json.loads(terms.read_text())

    assert assignments == published.assignments
    # A batch that was cut off after its records and before its commit is run again, and says the
    # same again, to the byte; nothing else is said.
    assert [] == [entry for entry in published.history if entry not in said]


def it_is_said_to_be_gone(controller: ControllerProcess) -> None:
    """One screen each: what is wrong and what to do; whose word is old, and how old."""
    code, told = trimtab(controller, "doctor")
    assert 3 == code
    assert any(
        "its last tick is" in line and "`trimtab run`" in line for line in told.splitlines()
    ), told
    code, told = trimtab(controller, "controllers", "list", "-o", "json")
    (row,) = json.loads(told)["controllers"]
    assert (0, True) == (code, row["said_s"] >= SESSION_S - 5)


def it_is_damaged(controller: ControllerProcess, watched: WatchedGroup) -> None:
    """A power cut has left files empty: that is said, and what is published is adopted (A22)."""
    controller.kill()
    plans = [it for it in (controller.home / "checkpoint/offsets").iterdir() if it.name.isdecimal()]
    newest = max(plans, key=lambda it: int(it.name))
    newest.write_bytes(b"")
    (controller.home / "checkpoint/trimtab.json").write_bytes(b"")
    damage = f"offsets/{newest.name} is empty, as after a power cut"
    assert damage in recover(controller)
    old = [controller.home / f"checkpoint.{1767312000000 + it}-0b5e55ed" for it in range(4)]
    for each in old:
        (each / "offsets").mkdir(parents=True)
    with watched.adopted(lasting=SESSION_S / 2):
        controller.start()
    (line,) = controller.lines("the checkpoint is damaged")
    assert damage in line
    assert [False, False, True, True] == [it.exists() for it in old]
    assert "nothing is wrong; last committed batch: " in recover(controller)


def recover(controller: ControllerProcess) -> str:
    """What `trimtab recover` says."""
    code, told = trimtab(controller, "recover")
    assert code == (0 if "nothing is wrong" in told else 3), told
    return told


def trimtab(controller: ControllerProcess, *arguments: str) -> tuple[int, str]:
    """How a command ends and what it prints, with the controller's settings."""
    flags = [f"--set={name}={value}" for name, value in controller.settings.items()]
    command = [sys.executable, "-m", "console.main", *arguments, *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def it_has_forgotten(controller: ControllerProcess, watched: WatchedGroup) -> None:
    """Its checkpoint is gone (A6)."""
    controller.kill()
    shutil.rmtree(controller.home / "checkpoint")
    with watched.adopted(lasting=SESSION_S / 2):
        controller.start()


def it_remembers_what_is_old(
    controller: ControllerProcess, watched: WatchedGroup, backup: Path
) -> None:
    """Its checkpoint is from before a member joined (A7)."""
    controller.kill()
    shutil.rmtree(controller.home / "checkpoint")
    backup.rename(controller.home / "checkpoint")
    with watched.adopted(lasting=SESSION_S / 2, repeated=True):
        controller.start()


def another_takes_over(
    younger: ControllerProcess, older: ControllerProcess, watched: WatchedGroup
) -> None:
    """Of two the older one ends by itself and says why; its checkpoint is not needed (A5).

    Only one that is told to takes over. So a supervisor that starts the older one again takes
    nothing back: else they would do so for ever.
    """
    with watched.adopted(lasting=BRIEFLY_S):
        younger.start()
        assert TAKEN == older.ends(GIVES_WAY_S)
        assert TAKEN == older.refuses()
    assert TAKEN_OVER in older.log.read_text()
    assert AT_WORK in older.end_of_log()
    assert TAKEN_OVER not in younger.log.read_text()
