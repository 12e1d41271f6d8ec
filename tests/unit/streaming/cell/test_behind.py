"""A controller that is behind while it works: nobody is silent, late or fenced for that."""

from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT
from streaming.wire.rows import Row
from tests.builders.log import Log, beat, join, route
from tests.unit.streaming.cell.started import NEW, OLD, RULES, on, state_of, tick, told
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HEARTBEATS,
    MEMBERS,
    ROUTES,
)


def at_work() -> tuple[Log, Cell]:
    """A controller with two members, which reads each second what was said in it."""
    log = Log()
    for name in "ab":
        log.append(MEMBERS, "billing", join(name, revocation_timeout_ms=1_000), at=1_000)
    log.append(ROUTES, "billing", route(queues=4), at=1_000)
    told(log, NEW, 1_000, whole=False)
    told(log, NEW, 1_000, whole=True)
    tick(log, NEW, 0, None, 1_000)
    tick(log, NEW, 1, 0, 2_000)
    cell = fold(Cell(gate=SHUT), log.read(), RULES).cell
    for number in range(2, 6):
        beat_of(log, 1_000 + number * 1_000, "ab")
        tick(log, NEW, number, number - 1, 1_000 + number * 1_000)
        cell = fold(cell, log.read(), RULES).cell
    return log, cell


def beat_of(log: Log, at: int, names: str) -> None:
    """Members beat."""
    for name in names:
        log.append(HEARTBEATS, "billing", beat(name, sequence=at // 100), at=at)


def frozen(log: Log, seconds: int) -> list[Row]:
    """For so long a controller ticks and reads nothing; what is said meanwhile."""
    for second in range(7, 7 + seconds):
        beat_of(log, second * 1_000, "ab")
        tick(log, NEW, second - 1, 5, second * 1_000)
    return log.read()


def test_who_joins_is_not_silent_because_older_beats_are_read() -> None:
    """Its join is read at once, minutes before the beats of that time are."""
    log, cell = at_work()
    backlog = frozen(log, 300)
    log.append(MEMBERS, "billing", join("c"), at=306_500)
    folded = fold(cell, [*log.read(), *backlog[:30]], RULES)
    for first in range(30, len(backlog), 30):
        folded = fold(folded.cell, backlog[first : first + 30], RULES)
        assert {"a", "b", "c"} == set(state_of(folded.cell).membership.members)


def test_nobody_is_fenced_for_what_it_cannot_have_been_told() -> None:
    """It is told to give at the beginning of a backlog, and its time begins at the end of it."""
    log, cell = at_work()
    backlog = frozen(log, 300)
    log.append(MEMBERS, "billing", join("c"), at=306_500)
    folded = fold(cell, [*log.read(), *backlog[:30]], RULES)
    assert [it.member for it in on(ASSIGNMENTS, folded.records) if it.give]
    for first in range(30, len(backlog), 30):
        folded = fold(folded.cell, backlog[first : first + 30], RULES)
        assert [] == folded.records
    for second in range(307, 400):
        beat_of(log, second * 1_000, "abc")
        tick(log, NEW, second - 1, second - 2, second * 1_000)
        folded = fold(folded.cell, log.read(), RULES)
        if len(state_of(folded.cell).membership.members) < 3:
            break
    told_again_s, patience_s = 17 * 3, 11  # it never shows that it reads
    assert 317 <= second <= 307 + told_again_s + patience_s


def test_silence_is_proved_by_ticks_that_were_kept_up_with() -> None:
    """Of a backlog of five minutes three ticks count."""
    log, cell = at_work()
    folded = fold(cell, frozen(log, 300), RULES)

    assert cell.clock.now + 3_000 == folded.cell.clock.now
    assert {"a", "b"} == set(state_of(folded.cell).membership.members)
    group = next(iter(on(GROUPS, folded.records)), None)
    assert group is None


def test_ticks_of_another_start_prove_nothing() -> None:
    """Nor do beats: they prove that somebody was there."""
    log, cell = at_work()
    for second in range(7, 100):
        tick(log, OLD, second, second - 1, second * 1_000)
        beat_of(log, second * 1_000, "a")
    folded = fold(cell, log.read(), RULES)

    assert cell.clock == folded.cell.clock
    assert {"a", "b"} == set(state_of(folded.cell).membership.members)
