"""What a producer in Java knows of its brokers is what one in Python knows."""

import random
from typing import Final

import pytest

from tests.integration.java_programs import answered, java
from trimtab.faults.verdicts import FRESH_FOR_MS, VerdictBoard
from trimtab.protocol import Verdict, encode
from trimtab.sending.broker_times import Reading, Window

pytestmark = pytest.mark.slow

ME: Final = "five"
BROKERS: Final = ("broker-a", "broker-b", "broker-c")


def verdict(chance: random.Random, now: int) -> Verdict:
    """One on any of the brokers, which lapses soon, late or never."""
    return Verdict(
        cluster="c",
        broker=chance.choice(BROKERS),
        available=chance.random() < 0.3,
        since_ms=now,
        until_ms=chance.choice([None, now + 500, now + 5_000]),
        reason="so",
        panic=False,
        reports=3,
        errors=0,
        testers=chance.choice([None, ("others",), ("others", ME)]),
    )


def test_both_boards_answer_the_same_to_whatever_comes() -> None:
    """Verdicts, tombstones, trials, long silence and clocks that differ, by chance."""
    chance, board = random.Random(7), VerdictBoard()
    now, lines, expected = 1_767_225_600_000, list[str](), list[str]()
    for _ in range(3_000):
        now += chance.choice([0, 100, 400, 1_100, FRESH_FOR_MS if chance.random() < 0.02 else 3])
        broker = chance.choice(BROKERS)
        match chance.randrange(6):
            case 0:
                late = chance.choice([0, 0, 0, 900, 5_000, 3_600_000])
                said, at = verdict(chance, now), now + late
                lines.append(f"post {at} {encode(said).decode()}")
                trial = ME in (said.testers or ())
                until = said.until_ms
                board.post(said.broker, available=said.available, until=until, at=at, trial=trial)
                expected.append("posted")
            case 1 if chance.random() < 0.2:
                lines.append(f"forget {broker}")
                board.forget(broker)
                expected.append("forgotten")
            case 1:
                published = now - chance.choice([0, 5, 3_600_000, -3_600_000])
                lines.append(f"clock {published} {now}")
                board.set_clock(published, now)
                expected.append("set")
            case 2:
                lines.append(f"try {broker} {now}")
                is_due = broker in board.to_try(now)
                if is_due:
                    board.tried(broker, now)
                expected.append(str(is_due).lower())
            case _:
                lines.append(f"avoids {broker} {now}")
                expected.append(str(broker in board.avoided(now)).lower())

    answers = answered([*java("Brokers"), ME], lines)
    told = zip(lines, expected, answers, strict=True)
    assert [] == [it for it in told if it[1] != it[2]][:1]  # a diff of all would take minutes
    assert min(expected.count(it) for it in ("true", "false", "posted", "forgotten")) > 50


@pytest.mark.parametrize("count", [1, 2, 100, 2_000])
def test_both_windows_sum_up_the_same(count: int) -> None:
    """Counts, failures and latencies; then the next window is empty."""
    chance = random.Random(count)
    notes = [(chance.randrange(1, 5_000), chance.random() < 0.1) for _ in range(count)]
    window = Window()
    good, bad = ([ms / 1_000 for ms, failed in notes if failed is which] for which in (False, True))
    window.add(Reading(good, bad, len(good)))
    it = window.summed_up("broker-a", None)
    assert it is not None

    lines = [f"note {ms} {str(failed).lower()}" for ms, failed in notes]
    answers = answered([*java("Brokers"), ME], [*lines, "close", "close"])

    said = f"{it.count} {it.errors} {it.p50_ms} {it.p99_ms} {it.max_ms}"
    assert [said, "nothing"] == answers[-2:]


def test_a_long_window_keeps_a_sample() -> None:
    """Of a hundred thousand latencies the percentiles are right, and all are counted."""
    lines = [f"note {number % 1_000} false" for number in range(100_000)]
    count, errors, p50, p99, longest = answered([*java("Brokers"), ME], [*lines, "close"])[
        -1
    ].split()

    assert ("100000", "0", "999.0") == (count, errors, longest)
    assert 480 < float(p50) < 520
    assert 970 < float(p99) < 999
