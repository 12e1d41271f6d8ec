"""What is wrong: told once, again when it changes, and once more when it is over."""

import pytest

from trimtab import TransportError
from trimtab.errors import TrimtabError
from trimtab.troubles import QUIET_MS, REPEAT_MS, Subject, Troubles

OTHERS = [it for it in Subject if it is not Subject.KAFKA]


class Told:
    """What was told, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.troubles = Troubles(self._tell, self.lines.append)

    def stands(self, subject: Subject, text: str, now: int) -> None:
        """Something is wrong."""
        self.troubles.stands(subject, TransportError(text), now)

    def _tell(self, error: TrimtabError) -> None:
        self.lines.append(str(error))


@pytest.fixture
def told() -> Told:
    """Nothing yet."""
    return Told()


@pytest.mark.parametrize("subject", OTHERS)
def test_it_is_told_once_and_when_it_is_over(told: Told, subject: Subject) -> None:
    """However long it lasts; and after that it is news again."""
    for now in range(0, 60_000, 1_000):
        told.stands(subject, "no", now)
    told.troubles.is_over(subject, 60_000)
    told.troubles.is_over(subject, 61_000)
    told.stands(subject, "no", 62_000)

    assert ["no", "over, after 60 s: no", "no"] == told.lines


@pytest.mark.parametrize("subject", OTHERS)
def test_it_is_told_again_when_it_has_changed(told: Told, subject: Subject) -> None:
    """What it was before is not over: it has become something else."""
    told.stands(subject, "the password is wrong", 0)
    told.stands(subject, "nobody listens", 1_000)
    told.troubles.is_over(subject, 5_000)

    assert [
        "the password is wrong",
        "nobody listens",
        "over, after 5 s: nobody listens",
    ] == told.lines


def test_troubles_with_kafka_stand_beside_each_other(told: Told) -> None:
    """One broker is away and another one refuses: that they take turns is no news."""
    for now in range(0, 10_000, 1_000):
        told.stands(Subject.KAFKA, "one", now)
        told.stands(Subject.KAFKA, "two", now)

    assert ["one", "two"] == told.lines


def test_trouble_with_kafka_is_over_when_all_went_well_for_a_while(told: Told) -> None:
    """Written and read, and not a word of it: a single record that gets through proves little."""
    told.stands(Subject.KAFKA, "away", 0)
    told.stands(Subject.KAFKA, "away", 5_000)
    for now in (6_000, 4_999 + QUIET_MS):
        told.troubles.written(now)
        told.troubles.read(now)
    before = list(told.lines)
    told.troubles.read(5_000 + QUIET_MS)

    assert (["away"], ["away", "over, after 5 s: away"]) == (before, told.lines)


def test_trouble_with_kafka_is_not_over_while_nothing_is_written(told: Told) -> None:
    """Who may read and not write has not got over it."""
    told.stands(Subject.KAFKA, "no right", 0)
    told.troubles.read(2 * QUIET_MS)
    told.troubles.written(3 * QUIET_MS)
    written = list(told.lines)
    told.troubles.read(3 * QUIET_MS)

    assert (["no right"], 2) == (written, len(told.lines))


def test_texts_that_never_repeat_fill_no_memory(told: Told) -> None:
    """The oldest are forgotten."""
    for now in range(1_000):
        told.stands(Subject.KAFKA, f"trouble {now}", now)
    told.stands(Subject.KAFKA, "trouble 999", 1_000)
    told.stands(Subject.KAFKA, "trouble 0", 1_001)

    assert ["trouble 999", "trouble 0"] == told.lines[-2:]
    assert 1_001 == len(told.lines)


def test_what_only_happens_is_told_again_later(told: Told) -> None:
    """It is no state, so it is never over."""
    for now in (0, 1, REPEAT_MS - 1, REPEAT_MS, REPEAT_MS + 1):
        told.troubles.happened(TransportError("a bad record"), now)

    assert ["a bad record"] * 2 == told.lines


def test_one_knows_whether_something_is_wrong(told: Told) -> None:
    """Of this subject."""
    told.stands(Subject.TOPICS, "none", 0)

    assert (True, False) == (
        told.troubles.has(Subject.TOPICS),
        told.troubles.has(Subject.CONTROLLER),
    )


def test_records_that_break_off_in_many_places_are_one_trouble(told: Told) -> None:
    """Whoever writes garbage of growing length would else be told of with each record."""
    for length in range(1_000):
        told.troubles.happened(TransportError(f"garbage: EOF at line 1 column {length}"), 0)

    assert ["garbage: EOF at line 1 column 0"] == told.lines
