"""Controllers in a table."""

import json

from console.views import controllers
from trimtab.protocol import Controller

NOW_MS = 1_767_225_600_000
SAID = json.dumps(Controller.model_json_schema()["examples"][0])


def test_a_controller_is_shown_with_the_age_of_its_last_word() -> None:
    """One that is silent may be left out."""
    status = Controller.model_validate_json(SAID)
    said = [(NOW_MS - 4_000, status), (NOW_MS - 60_000, status)]
    young, old = controllers.rows(said, NOW_MS, living=False)

    assert (4, 60) == (young["said_s"], old["said_s"])
    assert {*controllers.NARROW, *controllers.WIDE} == young.keys()
    assert [young] == controllers.rows(said, NOW_MS, living=True)


def test_one_that_has_committed_nothing_is_shown() -> None:
    """Nothing is said of its batches."""
    fields = json.loads(SAID)
    del fields["batch"], fields["times"]
    status = Controller.model_validate_json(json.dumps(fields))
    row = controllers.row(status, 1.0)

    assert (None, None, 0) == (row["batch"], row["longest_ms"], row["batches"])
