"""What of the status is shown among Spark's own figures."""

import json

from streaming.spark_figures import figures_of
from trimtab.protocol import Controller


def test_every_number_of_the_status_has_a_name() -> None:
    """Lists and texts have none: a gauge is a number."""
    (example,) = Controller.model_json_schema()["examples"]
    figures = figures_of(Controller.model_validate_json(json.dumps(example)))

    assert {
        "groups": 4,
        "members": 31,
        "queues": 256,
        "unassigned": 0,
        "rebalances": 17,
        "moves": 120,
        "dead_letters": 3,
        "lag_records": 12,
        "lag_ms": 900,
    } == figures
