"""`trimtab brokers`: what can be wrong with an order is said before anything is written."""

import pytest

from console.published import Published
from tests.builders.command_line import caller
from trimtab.protocol import Hosts

USAGE = 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("a\nb", "--cluster", "east", "--reason", "r"), "trimtab: broker: String should match"),
        (("a", "--cluster", "$tick", "--reason", "r"), "trimtab: --cluster: The key does not name"),
        (
            ("a", "--cluster", "east", "--reason", ""),
            "trimtab: reason: String should have at least",
        ),
        (
            ("a", "--cluster", "east", "--reason", "r", "--for", "10"),
            'trimtab: --for must be a number and a unit (d, h, m, s, ms), like "10s"',
        ),
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
    code, out, err = caller(monkeypatch, capsys)("brokers", "eject", *arguments)

    assert (USAGE, "") == (code, out)
    assert err.startswith(text)


@pytest.mark.parametrize(
    ("verb", "hosts", "said"),
    [
        ("eject", [], True),
        ("eject", [Hosts(topic="orders", brokers=("b", "c"))], False),
        ("forget", [], False),
    ],
)
def test_a_rehearsal_says_when_no_topics_are_known(
    verb: str,
    hosts: list[Hosts],
    said: bool,  # noqa: FBT001 - a parameter of the test
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The jury spares the last broker of a topic, and this cannot show it."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    monkeypatch.setattr(Published, "verdicts", lambda _: {})
    monkeypatch.setattr(Published, "hosts", lambda *_: hosts)
    about = ("a", "--cluster", "east", "--reason", "r", "--force", "--dry-run")
    _, out, _ = caller(monkeypatch, capsys)("brokers", verb, *about)

    assert said == ("not known: which topics it has" in out)
