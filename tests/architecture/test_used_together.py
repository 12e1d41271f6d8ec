"""One thing of several processes: who comes first starts it, and it ends when nobody uses it."""

from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.builders.used_together import UsedTogether


class Thing:
    """What is started and stopped; its description is its number."""

    def __init__(self, *, there: bool = True) -> None:
        self.there = there
        self.happened: list[str] = []

    def found(self, told: str) -> bool:
        """Look for it."""
        self.happened.append(f"found {told}" if self.there else f"missed {told}")
        return self.there

    def start(self) -> str:
        """Make one."""
        self.happened.append("started")
        return "1"

    def stop(self) -> None:
        """End it."""
        self.happened.append("stopped")


def test_the_first_one_starts_it_and_the_last_one_lets_it_end(tmp_path: Path) -> None:
    """Who started it asks again until nobody uses it; a later one starts another."""
    first, second, thing = UsedTogether(tmp_path), UsedTogether(tmp_path), Thing()
    first.begin(thing.found, thing.start)
    second.begin(thing.found, thing.start)
    first.leave()
    assert not first.end_if_unused(thing.stop)
    assert second.end_if_unused(thing.stop)  # it is none of its own
    second.leave()
    assert ["started", "found 1"] == thing.happened

    assert first.end_if_unused(thing.stop)
    second.begin(thing.found, thing.start)
    assert ["started", "found 1", "stopped", "started"] == thing.happened
    second.leave()
    assert second.end_if_unused(thing.stop)


def own(folder: Path, wire: Connection) -> None:
    """Start it in another process, and wait to be killed."""
    use = UsedTogether(folder)
    use.begin(lambda _: False, lambda: "2")
    wire.send("started")
    wire.recv()


@pytest.mark.slow
def test_one_whose_process_has_died_is_started_anew(tmp_path: Path) -> None:
    """Its description is still there, and what it describes is about to end as well."""
    here, there = get_context("spawn").Pipe()
    owner = get_context("spawn").Process(target=own, args=(tmp_path, there), daemon=True)
    owner.start()
    assert "started" == here.recv()
    second, thing = UsedTogether(tmp_path), Thing()
    second.begin(thing.found, thing.start)
    assert second.is_owned()
    owner.kill()
    owner.join(60)
    assert not second.is_owned()

    second.leave()
    second.begin(thing.found, thing.start)
    assert ["found 2", "started"] == thing.happened
    second.leave()
    here.close()
    there.close()
    assert second.end_if_unused(thing.stop)


def test_what_is_described_and_not_there_is_started_anew(tmp_path: Path) -> None:
    """Its owner lives, and what it started has ended."""
    owner, second, thing = UsedTogether(tmp_path), UsedTogether(tmp_path), Thing(there=False)
    owner.begin(thing.found, thing.start)
    second.begin(thing.found, thing.start)

    assert ["started", "missed 1", "started"] == thing.happened
    owner.leave()
    second.leave()
    assert owner.end_if_unused(thing.stop)
    assert second.end_if_unused(thing.stop)


def take(folder: Path, wire: Connection) -> None:
    """Take a turn, or turns, as told, in another process; say each time that it is there."""
    use = UsedTogether(folder)
    while how := wire.recv():
        with use.turn(alone=how == "alone"):
            wire.send("in")
            wire.recv()
        wire.send("out")


@pytest.mark.slow
def test_a_turn_alone_is_alone(tmp_path: Path) -> None:
    """It waits for turns that have begun, and others wait for it."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=take, args=(tmp_path, there), daemon=True)
    process.start()
    use = UsedTogether(tmp_path)
    with use.turn(alone=False):
        here.send("beside")
        assert "in" == here.recv()
        here.send("enough")
        assert "out" == here.recv()
        here.send("alone")
        assert not here.poll(0.3)
    assert "in" == here.recv()
    here.send("enough")
    assert "out" == here.recv()
    here.send("")
    process.join(60)
    assert 0 == process.exitcode
    here.close()
    there.close()
