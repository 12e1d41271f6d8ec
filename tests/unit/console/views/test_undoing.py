"""What takes a command back."""

import pytest

from console.views import undoing
from tests.unit.console.views.published_records import group
from trimtab.protocol import Group, Overrides

PLAIN, PAUSED = group("a"), group("a", paused=True)
RULED = group("a", overrides=Overrides(blast_percent=80, session_timeout_ms_min=30_000))


@pytest.mark.parametrize(
    ("verb", "before", "undo"),
    [
        ("pause", PLAIN, "resume billing"),
        ("pause", PAUSED, None),
        ("resume", PAUSED, "pause billing"),
        ("resume", PLAIN, None),
        ("drain", PLAIN, "undrain billing 'rack 7'"),
        ("undrain", PLAIN, "drain billing 'rack 7'"),
        ("strategy", PLAIN, "strategy billing STICKY"),
        ("policy", PLAIN, "policy billing"),
        ("policy", RULED, "policy billing session_timeout_min=30000ms blast_percent=80"),
        ("evict", PLAIN, None),
        ("forget", PLAIN, None),
    ],
)
def test_a_command_is_taken_back_as_it_would_be_typed(
    verb: str, before: Group, undo: str | None
) -> None:
    """From how the group was; nothing is said where nothing takes it back."""
    told = undoing.of_group(verb, before, {"member": "rack 7"})

    assert told == (None if undo is None else f'trimtab groups {undo} --reason "as before"')


def test_an_ejected_broker_is_restored() -> None:
    """Nothing takes back that its past was forgotten."""
    assert undoing.of_broker("forget", "east", "a") is None
    assert 'trimtab brokers restore a --cluster east --reason "as before"' == undoing.of_broker(
        "eject", "east", "a"
    )
