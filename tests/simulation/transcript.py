"""The transcript of a life: what happened, what was found, and every record the controller read.

The records stand in the form of `trimtab replay`: one JSON line each, with a line between batches.
The first lines are comments of the same form, which a replay passes over; one of them is the
command that decides it all again.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from streaming.wire.rows import Row
from tests.simulation.cutting import OVERTAKING_MS
from tests.simulation.rules import PREFIX
from tests.simulation.scenario import (
    DAMPING_MS,
    HALF_LIFE_MS,
    HOLD_MS,
    MAX_STEP_MS,
    REVOCATION_MS,
    SESSION_MS,
    TICK_MS,
    Scenario,
)
from tests.simulation.world import Outcome


def keep(outcome: Outcome, folder: Path) -> Path:
    """Write a life down."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"seed-{outcome.scenario.seed}.jsonl"
    file.write_text("\n".join(lines(outcome)) + "\n", encoding="utf-8")
    return file


def lines(outcome: Outcome) -> Iterator[str]:
    """The life, line by line."""
    story = [*str(outcome.scenario).splitlines(), *map(str, outcome.violations)]
    for text in [*story, _command(outcome.scenario)]:
        yield json.dumps({"comment": text})
    for number, rows in enumerate(outcome.brain.cuts):
        yield json.dumps({"batch": number})
        yield from map(_line, rows)


def _command(scenario: Scenario) -> str:
    """Spell the settings of the simulation's controller."""
    chosen = {
        "policy.strategy": scenario.strategy,
        "policy.session_timeout": f"{SESSION_MS}ms",
        "policy.session_timeout_min": f"{SESSION_MS}ms",
        "policy.heartbeat_interval": "auto",
        "policy.revocation_timeout": f"{REVOCATION_MS}ms",
        "policy.on_twin": scenario.on_twin,
        "policy.on_twin_instance": scenario.on_twin_instance,
        "policy.assignment_interval": f"{scenario.interval_ms}ms",
        "policy.standing_heirs": scenario.standing,
        "policy.eager_grace": f"{scenario.grace_ms}ms",
        "policy.blast_hold": f"{HOLD_MS}ms",
        "policy.flap_half_life": f"{HALF_LIFE_MS}ms",
        "policy.route_damping": f"{DAMPING_MS}ms",
        "controller.max_clock_step": f"{MAX_STEP_MS}ms",
        "controller.tick_interval": f"{TICK_MS}ms",
        "controller.heartbeat_batch_interval": f"{OVERTAKING_MS}ms",
    }
    settings = " ".join(f"-s {name}={value}" for name, value in chosen.items())
    return f"trimtab replay seed-{scenario.seed}.jsonl {settings}"


def _line(row: Row) -> str:
    return json.dumps(
        {
            "topic": row.topic.removeprefix(PREFIX),
            "partition": row.partition,
            "offset": row.offset,
            "timestamp": row.appended_ms,
            "key": None if row.key is None else row.key.decode(errors="replace"),
            "value": None if row.value is None else row.value.decode(errors="replace"),
        }
    )
