"""The settings of one group's own, as they are typed."""

import pytest

from console.settings.groups import PolicySettings
from console.settings.own import own_rules
from rebalance.groups.model.policy import Policy
from trimtab.protocol import Overrides

TYPED = PolicySettings().model_dump(mode="json")
NAMES = {it.replace("_ms", ""): it for it in Overrides.model_fields}


@pytest.mark.parametrize(("key", "wire"), NAMES.items())
def test_each_is_read_as_in_a_file(key: str, wire: str) -> None:
    """And means the same."""
    assert {wire: getattr(Policy(), wire)} == own_rules([f"{key}={TYPED[key]}"])


@pytest.mark.parametrize(
    ("rule", "own"),
    [
        ("session_timeout=3s", {"session_timeout_ms": 3_000}),
        ("heartbeat_interval=6s", {"heartbeat_interval_ms": 6_000}),
        ("revocation_timeout=1h", {"revocation_timeout_ms": 3_600_000}),
    ],
)
def test_what_the_others_are_is_the_controllers_to_say(rule: str, own: dict[str, object]) -> None:
    """Each would contradict the defaults, and who commands need not have the controller's."""
    assert own == own_rules([rule])
