"""Controllers in a table."""

import json
from typing import Literal

import pytest

from console.views import controllers
from trimtab.protocol import Controller

SAID = json.dumps(Controller.model_json_schema()["examples"][0])


def test_a_controller_is_shown_with_the_age_of_its_last_word() -> None:
    """One that is silent may be left out, and one that has ended."""
    status = Controller.model_validate_json(SAID)
    ended = status.model_copy(update={"role": "ended"})
    said = [(4.0, status), (60.0, status), (4.0, ended)]
    young, old, over = controllers.rows(said, living=False)

    assert (4, 60, 4) == (young["said_s"], old["said_s"], over["said_s"])
    assert {*controllers.NARROW, *controllers.WIDE} == young.keys()
    assert [young] == controllers.rows(said, living=True)


def test_one_that_has_committed_nothing_is_shown() -> None:
    """Nothing is said of its batches."""
    fields = json.loads(SAID)
    del fields["batch"], fields["times"]
    status = Controller.model_validate_json(json.dumps(fields))
    row = controllers.row(status, 1.0)

    assert (None, None, 0) == (row["batch"], row["longest_ms"], row["batches"])


@pytest.mark.parametrize(
    ("role", "failures", "age_s", "shown"),
    [
        ("active", None, 4.0, "active"),
        ("active", 3, 4.0, "failing"),
        ("active", 3, 60.0, "silent"),
        ("ended", 3, 60.0, "ended"),
    ],
)
def test_one_that_fails_or_is_silent_is_shown_as_that(
    role: Literal["active", "ended"], failures: int | None, age_s: float, shown: str
) -> None:
    """What it calls itself is not enough."""
    said = {"role": role, "failures": failures}
    status = Controller.model_validate_json(SAID).model_copy(update=said)

    assert shown == controllers.row(status, age_s)["role"]


@pytest.mark.parametrize(
    ("role", "age_s", "told"),
    [
        ("active", 4.0, None),
        ("standby", 4.0, "none ever was"),
        ("ended", 4.0, "none has said so for 4 s"),
        ("active", 60.0, "none has said so for 60 s"),
        (None, 4.0, None),
    ],
)
def test_a_reader_is_told_that_nobody_is_at_work(
    role: Literal["active", "standby", "ended"] | None, age_s: float, told: str | None
) -> None:
    """One that ended, is silent for long, or stands by; not one of a release without roles."""
    said = {"role": role, "failures": None}
    status = Controller.model_validate_json(SAID).model_copy(update=said)
    text = controllers.silence([(age_s, status)])

    assert text is None if told is None else text is not None and told in text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"failures": 3}, "its query fails"),
        ({"batch": None}, "has committed nothing yet"),
        ({"lag_ms": 20_000}, "is 20 s behind"),
        ({"failures": 3, "lag_ms": 20_000}, "its query fails"),
        ({"lag_ms": None}, None),
    ],
)
def test_a_reader_is_told_that_who_is_there_decides_nothing(
    fields: dict[str, int | None], told: str | None
) -> None:
    """It fails, has not begun, or hangs; another one that decides is enough."""
    well = Controller.model_validate_json(SAID).model_copy(update={"failures": None})
    status = well.model_copy(update=fields)
    text = controllers.silence([(4.0, status)])
    both = controllers.silence([(4.0, status), (4.0, well)])

    assert text is None if told is None else text is not None and told in text
    assert both is None


def test_a_reader_is_told_that_nobody_ever_was_at_work() -> None:
    """Topics are there, and no controller has used them."""
    text = controllers.silence([])

    assert text is not None
    assert "none ever was" in text
