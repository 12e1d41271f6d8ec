"""Who really worked: overlaps among members that nobody has fenced (I2, I3)."""

import pytest

from audit.history import Life
from audit.witness import Witness, Worker
from tests.unit.audit.histories import queue

QUEUE = queue("orders-0")


def worker(name: str, process: int = 0) -> Worker:
    """A process of a member's first life."""
    return Life(name, "1"), process


def starts(witness: Witness, name: str, token: int, process: int = 0) -> list[str]:
    """Let a member start; return what is wrong with that."""
    return [each.invariant for each in witness.starts(worker(name, process), QUEUE, token)]


def test_one_after_the_other_is_no_violation() -> None:
    """The first has stopped, or its process has ended, before the next one starts."""
    witness = Witness("billing", strict=True)

    assert [] == starts(witness, "a", 1)
    witness.stops(worker("a"), QUEUE)
    assert [] == starts(witness, "b", 2)
    witness.ended(worker("b"))
    assert [] == starts(witness, "c", 3)


def test_two_at_once_are_seen() -> None:
    """Whatever the records said."""
    witness = Witness("billing", strict=True)
    starts(witness, "a", 1)

    assert ["I2"] == starts(witness, "b", 2)


def test_two_processes_of_one_life_are_two() -> None:
    """A copied identity does not make them one."""
    witness = Witness("billing", strict=True)
    starts(witness, "a", 1, process=0)

    assert ["I2"] == starts(witness, "a", 1, process=1)


def test_a_suspended_process_does_not_work() -> None:
    """It counts again when it goes on."""
    witness = Witness("billing", strict=True)
    starts(witness, "a", 1)
    witness.suspended(worker("a"))

    assert [] == starts(witness, "b", 2)
    assert ["I2"] == [each.invariant for each in witness.resumed(worker("a"))]


@pytest.mark.parametrize("wrong", [["I2"], []], ids=["strict", "lenient"])
def test_a_fenced_life_counts_only_for_a_strict_witness(wrong: list[str]) -> None:
    """Where clocks jump the controller may give up somebody who is still at work."""
    witness = Witness("billing", strict=bool(wrong))
    starts(witness, "a", 1)
    witness.fenced(Life("a", "1"))

    assert wrong == starts(witness, "b", 2)


def test_a_token_that_goes_back_is_seen() -> None:
    """What it guards would refuse the newcomer."""
    witness = Witness("billing", strict=True)
    starts(witness, "a", 5)
    witness.stops(worker("a"), QUEUE)

    assert ["I3"] == starts(witness, "b", 4)
