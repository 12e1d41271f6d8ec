"""The session in Java answers as the session in Python does, to whatever comes."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.builders.checkout import ROOT
from tests.builders.session_stories import wandering
from tests.builders.sessions import assignment
from tests.integration.java_programs import answered, java, played
from trimtab.protocol import encode

pytestmark = pytest.mark.slow

VECTORS: Final = sorted((ROOT / "clients" / "vectors").glob("*.json"))


def test_the_session_in_java_plays_all_vectors() -> None:
    """The same stories as the session in Python."""
    assert {path.name: "ok" for path in VECTORS} == played(VECTORS)


def test_both_sessions_answer_the_same_to_whatever_comes(tmp_path: Path) -> None:
    """Records that contradict one another, late and lost ones, by chance."""
    stories = [tmp_path / f"{seed}.json" for seed in range(120)]
    for seed, path in enumerate(stories):
        path.write_text(json.dumps(wandering(seed, steps=80)))

    assert {path.name: "ok" for path in stories} == played(stories)


def test_another_answer_is_found(tmp_path: Path) -> None:
    """A test that compares nothing would not be worth its time."""
    story = json.loads(VECTORS[0].read_text())
    story["steps"][-1]["wake_at"] = 1
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(story))

    assert played([changed])["changed.json"].startswith("differs at ")


def test_null_in_a_record_is_another_answer(tmp_path: Path) -> None:
    """Most fields may be absent, and not null: such a record becomes a dead letter."""
    story = json.loads(VECTORS[0].read_text())
    mark = next(it for it in story["steps"][0]["out"] if it.get("topic") == "releases")
    mark["record"]["queues"]["to"] = None
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(story))

    assert played([changed])["changed.json"].startswith("differs at 0: ")


def test_it_costs_the_same_to_ask_for_one_queue_of_many() -> None:
    """Listeners of RocketMQ's ask for each message, all under one lock."""
    times = ("session_timeout_ms", "revocation_timeout_ms", "heartbeat_interval_ms")
    hour = dict.fromkeys(times, 3_600_000)  # nothing is due meanwhile
    records = [assignment(1, hold=((it, 1) for it in range(n))) for n in (16, 4_096)]
    lines = [encode(it.model_copy(update=hour)).decode() for it in records]

    few, many = map(int, answered(java("AskingCost"), lines))
    assert many < 10 * few, (few, many)
