"""`trimtab groups`: what can be wrong with an order is said before anything is written."""

import pytest
import typer

from console.commands.groups import app
from tests.builders.command_line import caller
from trimtab.protocol import TOPICS

USAGE = 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("pause", "$tick"), "trimtab: GROUP: The key does not name a group"),
        (("pause", "a", "--for", "10"), "trimtab: --for must be a number and a unit"),
        (("pause", "a", "--for", "1h", "--until", "1h"), "trimtab: give either --for or --until"),
        (("pause", "a", "--until", "2001-01-01"), "trimtab: --until: 2001-01-01 is in the past"),
        (("evict", "a", "b\nc"), "trimtab: member: String should match"),
        (
            ("policy", "a", "max_members=1"),
            "trimtab: max_members cannot be set for one group. Possible: ",
        ),
        (("policy", "a", "blast_percent=101"), "trimtab: policy.blast_percent "),
        (("policy", "a", "blast_percent"), "trimtab: blast_percent: give it as KEY=VALUE"),
        (("policy", "a", "session_timeout=3"), "trimtab: policy.session_timeout "),
        (("policy", "a", "heartbeat_interval=auto"), "trimtab: heartbeat_interval: omit it"),
        (("policy", "a", "on_twin=separate"), "trimtab: overrides.on_twin: "),
    ],
)
def test_a_wrong_order_is_refused_at_once(
    arguments: tuple[str, ...],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line that names what is wrong, and the exit code of a wrong call."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    code, out, err = caller(monkeypatch, capsys)("groups", *arguments, "--reason", "r")

    assert (USAGE, "") == (code, out)
    assert err.startswith(text)


def test_every_command_to_a_group_can_be_given() -> None:
    """All but those about brokers, under the names that they have on the wire; beside the views.

    A move has none: it goes by no controller. A pace is the controller's own.
    """
    given = set(getattr(typer.main.get_command(app), "commands", ()))
    views = {"list", "describe", "history", "explain", "sides"}

    assert TOPICS["commands"].kinds.keys() - {"eject", "restore", "pace"} == given - views - {
        "move"
    }
