"""The auditor's clock: what ticks prove, and of whom."""

from audit.history import BeatSeen, Life, Place, Ticked
from audit.reading import Reader

STEP = 2_000
OLD, NEW = "1767312000000-0b5e55ed", "1767399999999-0b5e55ed"


class Log:
    """One heartbeat partition, with a record a second."""

    def __init__(self) -> None:
        self.reader, self.at = Reader(STEP), 0

    def tick(self, start: str, number: int, seen: int | None) -> int:
        """Read a tick; return what the clock shows."""
        self.reader.read(Ticked(self._place(), start, number, seen))
        return self.reader.now(0).clock_ms

    def beat(self) -> int:
        """Read a beat; return what the clock shows."""
        self.reader.read(BeatSeen(self._place(), "g", Life("m", "1"), self.at, 1))
        return self.reader.now(0).clock_ms

    def _place(self) -> Place:
        self.at += 1
        return Place("t.heartbeats", 0, self.at, self.at * 1_000)


def test_where_no_tick_says_whose_it_is_every_record_counts() -> None:
    """As in a part of a recording, or of an older release."""
    log = Log()

    assert [0, 1_000, 2_000] == [log.tick("", 1, None), log.beat(), log.tick("", 2, None)]


def test_of_a_controller_that_is_there_only_ticks_count() -> None:
    """Beats between them prove nothing by themselves, and no time is left out."""
    log = Log()
    log.tick(OLD, 1, 0)

    assert [0, 2_000] == [log.beat(), log.tick(OLD, 2, 1)]
    assert 3_000 == log.tick(OLD, 3, 2)


def test_three_ticks_count_while_it_is_behind() -> None:
    """From when it has caught up on, they count again; what lay between is one step at most."""
    log = Log()
    behind = [log.tick(OLD, number, 0) for number in range(1, 8)]

    assert [0, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000] == behind
    assert 4_000 == log.tick(OLD, 8, 7)


def test_a_start_counts_from_when_it_has_read_what_it_was_told() -> None:
    """Until then nothing is decided; then everybody has a session, and no older tick counts."""
    log = Log()
    log.tick(OLD, 1, 0)
    log.tick(OLD, 2, 1)
    assert 1_000 == log.tick(NEW, 0, None)
    assert 1_000 == log.tick(NEW, 1, None)
    shown = log.tick(NEW, 2, 0)
    assert 3_000 == shown

    assert shown + 3 * STEP == log.reader.begun(0).clock_ms
    assert [shown, shown] == [log.tick(OLD, 3, 2), log.tick(NEW, 2, 1)]
    assert shown < log.tick(NEW, 3, 2)
