"""What operate.md and troubleshooting.md tell people to type is typed here, word for word.

Only names are put in: of the group, its members, a queue and a broker. So page and program cannot
differ, and a command that a page gains is run from then on.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from console.errors import ExitCode
from tests.builders.checkout import ROOT, text
from tests.builders.command_line import Run
from tests.builders.examples import commands, plain_blocks
from tests.integration.conftest import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PAGES = (Path("docs/operate.md"), Path("docs/troubleshooting.md"))
TYPED = [*dict.fromkeys(line for page in PAGES for line in commands(text(page)))]
STARTING = [line for line in TYPED if line.split()[0] == "run"]
ELSEWHERE = {"prepare": (Path("Makefile"), "trimtab --quiet prepare")}
"""What takes minutes, and what else runs it."""
ASKING = [line for line in TYPED if line not in STARTING and line not in ELSEWHERE]
ANSWERS = {
    "doctor": {ExitCode.OK, ExitCode.UNHEALTHY},  # other tests leave dead letters
    "check --group": {ExitCode.OK},
    "check": {ExitCode.OK, ExitCode.UNHEALTHY},  # and write what no controller would
    "controllers hand-over": {ExitCode.NOT_FOUND},  # there is no standby
    "topics check --set": {ExitCode.UNHEALTHY},  # it says how they get so
    "groups move": {ExitCode.NOT_FOUND},  # the members are none of Kafka's
    "groups approve": {ExitCode.UNHEALTHY},  # refused: nothing waits
}
"""What is not 0 here."""
NAMED = "TRIMTAB_CONFIG"
"""What names them, to every command."""
PATIENCE_S = 240.0


def production(home: Path) -> str:
    """The settings that operate.md shows, with a folder of ours, and where they are."""
    shown, secured = re.findall(r"^```toml\n(.*?)^```", text(PAGES[0]), re.MULTILINE | re.DOTALL)
    assert {"options"} == tomllib.loads(secured)["kafka"].keys()
    assert f"export {NAMED}=/etc/trimtab/production.toml" in text(PAGES[0])
    file = home / "production.toml"
    file.write_text(shown.replace("/var/lib/", f"{home}/"))
    return str(file)


def test_a_block_has_commands_of_ours_alone() -> None:
    """Nothing in them escapes this test; targets of make are looked for elsewhere."""
    blocks = [
        line for page in PAGES for block in plain_blocks(text(page)) for line in block.splitlines()
    ]
    assert [] == [line for line in blocks if not line.startswith("trimtab ")]
    assert 40 < len(TYPED)
    for line, (place, call) in ELSEWHERE.items():
        assert line in TYPED
        assert call in text(place)


@pytest.fixture
def placed(
    terminal: Run,
    controller: ControllerProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The terminal on the controller's machine, where the page's settings lie."""
    monkeypatch.setenv("TRIMTAB_HOME", str(controller.home))
    monkeypatch.setenv("TRIMTAB_TOPICS__REPLICATION_FACTOR", "1")
    monkeypatch.setenv(NAMED, production(tmp_path))
    monkeypatch.chdir(tmp_path)
    return terminal


@pytest.mark.usefixtures("two")
def test_every_command_that_asks_or_tells_a_live_controller_works(
    placed: Run, published: Published, group: str, topic: str
) -> None:
    """Each ends as its page says."""
    why = ("--reason", "a test", "--force")
    cluster = f"east-of-{group}"
    names = {"billing": group, "worker-3": "b", "orders-7": f"{topic}-7", "east": cluster}
    assert 0 == placed("brokers", "eject", "broker-a", "--cluster", cluster, *why)[0]
    assert 0 == placed("groups", "drain", group, "b", *why[:2])[0]  # it is undrained
    wrong = []
    for line in ASKING:
        words = shlex.split(line)
        code, _, error = placed(*(names.get(word, word) for word in words))
        command = next((it for it in ANSWERS if line.startswith(it)), "")
        if code not in ANSWERS.get(command, {ExitCode.OK}) or "Traceback" in error:
            wrong.append((line, code, error))
        if "evict" in words:  # it joins again
            published.catch_up()
            published.wait_until(lambda: published.is_stable(group, ["a", "b"], QUEUES))
    assert [] == wrong
    assert 0 == placed("brokers", "forget", "broker-a", "--cluster", cluster, *why[:2])[0]


def test_every_command_that_starts_a_controller_is_understood(tmp_path: Path) -> None:
    """Without a Kafka each start ends with 5, as operate.md says, and with nothing else to say."""
    nowhere = {
        NAMED: production(tmp_path),
        "TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1",
        "PYTHONPATH": str(ROOT),
    }
    started = []
    for number, line in enumerate(STARTING):
        words = shlex.split(line.replace("/var/lib/", f"{tmp_path}/"))
        home = {"TRIMTAB_HOME": str(tmp_path / str(number))}  # or `--set` says another one
        process = subprocess.Popen(
            [sys.executable, "-m", "console.main", "--quiet", *words],
            cwd=tmp_path,
            env={**os.environ, **nowhere, **home},
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append((line, process))
    for line, process in started:
        _, error = process.communicate(timeout=PATIENCE_S)
        assert ExitCode.TIMEOUT == process.returncode, (line, error)
        assert 1 == len(error.splitlines()), (line, error)
    assert {"run", "run --new-checkpoint"} < {line for line, _ in started}
