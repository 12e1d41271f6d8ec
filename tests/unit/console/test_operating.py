"""What operate.md has people install and keep is as the controller needs it."""

import re
from configparser import ConfigParser
from pathlib import Path

import yaml

from console.errors import ExitCode
from tests.builders.checkout import text
from trimtab.protocol import Settings

PAGE = text(Path("docs/operate.md"))


def test_the_unit_starts_again_what_may_pass_ever_more_rarely() -> None:
    """Each start writes all that is published once more, and that may go on for a weekend."""
    unit = ConfigParser(strict=True)
    (shown,) = re.findall(r"```ini\n(.*?)```", PAGE, flags=re.DOTALL)
    unit.read_string(shown)
    alerts = text(Path("deploy/prometheus/alerts.yaml"))
    (answered,) = re.findall(r"max_over_time\(trimtab_build_info\[(\d+)m\]\)", alerts)
    service = unit["Service"]
    final = {ExitCode.USAGE, ExitCode.UNHEALTHY, ExitCode.TAKEN_OVER}

    assert final == {int(it) for it in service["RestartPreventExitStatus"].split()}
    assert int(service["RestartSteps"]) > 0  # else the next is ignored
    longest = re.fullmatch(r"(\d+)min", service["RestartMaxDelaySec"])
    assert longest
    assert 0 < int(longest[1]) < int(answered)  # or `TrimtabNobodyDecides` begins anew each time
    assert int(service["RestartSec"]) < 60


def test_docker_starts_it_again_so_often_and_no_more() -> None:
    """It makes no longer pauses, and would go on for ever."""
    controller = yaml.safe_load(text(Path("docker-compose.yml")))["services"]["controller"]

    assert re.fullmatch(r"on-failure:\d+", controller["restart"])
    assert f"`--restart {controller['restart']}`" in PAGE


def test_another_prefix_loses_nothing_that_operators_have_set() -> None:
    """A controller there reads nothing of the old one: each setting of a group is named, twice."""
    section = PAGE.split("### Another prefix\n")[1].split("\n## ")[0]
    noted, *_, again = re.findall(r"^\d\. (.*)", section, flags=re.MULTILINE)
    commands = {
        "paused": "pause",
        "paused_until_ms": "pause",
        "own_strategy": "strategy",
        "overrides": "policy",
        "popped": "mode",
    }

    assert set(Settings.model_fields) == set(commands)
    assert [] == [it for it in commands.values() if f"`groups {it}`" not in again]
    assert "`--share`" in again
    assert "topic `commands`" in noted  # no summary has that number
    assert "`brokers eject`" in again
    assert "`brokers restore`" in again
    assert "`groups drain`" in again
    for view in ("groups describe", "members list", "brokers list"):
        assert f"`trimtab {view}" in noted


def test_who_has_done_with_it_keeps_nothing() -> None:
    """A checkpoint that a standby shares is not in home, and has others beside it."""
    (told,) = re.findall(r"^To have done with it: .*", PAGE, flags=re.MULTILINE)

    for kept in ("`home`", "`controller.checkpoint`", "`.at-<start>`", "`.<start>`"):
        assert kept in told
    for group in ("`<group>.moving`", "`<group>.<member_id>`"):
        assert group in told
