"""Plans are asked for as by a user; each module says of which ``group``."""

import json
from typing import Any

import pytest

from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import Ask, PublishedGroup


@pytest.fixture
def ask(group: PublishedGroup, run: Run, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask for a plan."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")
    monkeypatch.setattr("console.published.messages", group.messages)

    def asked(*arguments: str) -> tuple[int, dict[str, Any]]:
        code, out, error = run(*arguments, "-o", "json")
        return code, json.loads(out) if out else {"error": error}

    return asked
