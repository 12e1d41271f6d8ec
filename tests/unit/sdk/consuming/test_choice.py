"""What the options of a consumer come to."""

from typing import Any

import pytest

from trimtab.consuming.choice import read_options


@pytest.mark.parametrize(
    "options",
    [
        {"rack": "r1"},
        {"fetch": {"client.rack": "r1"}},
        {"kafka": {"client.rack": "r1"}},
        {"kafka": {"client.rack": "r0"}, "fetch": {"client.rack": "r1"}},
    ],
)
def test_its_rack_is_said_once(options: dict[str, Any]) -> None:
    """The controller deals queues by it, and brokers answer from a replica nearby."""
    choice, members = read_options({"group": "billing", **options})  # type: ignore[typeddict-item]  # any

    assert ("r1", "r1") == (
        members["rack"],
        {**members.get("kafka", {}), **choice.fetch}["client.rack"],
    )


def test_racks_may_have_two_names() -> None:
    """What is said of both counts."""
    choice, members = read_options(
        {"group": "billing", "rack": "east", "kafka": {"client.rack": "r1"}}
    )

    assert ("east", {}) == (members["rack"], choice.fetch)
