"""What may be chosen of a consumer: a mistake is named when it is made."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from trimtab import ConfigurationError, Consumer
from trimtab.consuming.choice import group_of, read_options
from trimtab.session import Profile

PROFILE = Profile(group="billing", member="m", topics=("t",))


def test_who_broadcasts_has_positions_of_its_own() -> None:
    """Each member reads everything, and one offset cannot stand for all of them."""
    broadcasting = Profile(group="billing", member="m", topics=("t",), mode="broadcasting")

    assert ("billing.m", "billing") == (group_of(broadcasting), group_of(PROFILE))


def test_members_that_share_queues_cannot_share_offsets() -> None:
    """Each would skip what another has committed."""
    with pytest.raises(ConfigurationError, match=r'^mode: .* in mode "shared"'):
        group_of(Profile(group="billing", member="m", topics=("t",), mode="shared"))


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("start", "lates", r"^start: 'lates' must be one of"),
        ("start", datetime(2026, 1, 1), r"^start: .* has no time zone"),  # noqa: DTZ001 - refused
        ("commit", "never", r"^commit: 'never' must be one of"),
        ("fetch", "fast", r"^fetch: 'fast' is no dict"),
        ("client", "librdkafka", r'^client: "librdkafka" must be one of confluent, kafka-python'),
        ("max_poll_interval", "soon", r'^max_poll_interval: "soon" is not a duration'),
    ],
)
def test_a_mistaken_option_is_named(option: str, value: object, said: str) -> None:
    """At once, and not at the first grant."""
    options: Any = {"group": "billing", "topics": ["t"], option: value}
    with pytest.raises(ConfigurationError, match=said):
        Consumer("nowhere:1", **options)


@pytest.mark.parametrize(
    ("start", "milliseconds"),
    [
        (datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC), 0),
        (datetime(1, 1, 1, tzinfo=UTC), 0),
        (datetime(1970, 1, 1, 1, 0, 1, tzinfo=timezone(timedelta(hours=1))), 1_000),
    ],
)
def test_before_kafka_has_times_all_messages_are_since_then(
    start: datetime, milliseconds: int
) -> None:
    """Its clients would take the millisecond before for the end of the log."""
    choice, _ = read_options({"group": "billing", "topics": ["t"], "start": start})

    assert isinstance(choice.start, datetime)
    assert milliseconds == choice.start.timestamp() * 1_000


@pytest.mark.parametrize("where", ["fetch", "kafka"])
@pytest.mark.parametrize(
    ("client", "said"),
    [
        ("kafka-python", "kafka-python has no option fetch_wait_max_ms"),
        ("confluent", 'No such configuration property: "fetch.wait.max.msec"'),
    ],
)
def test_an_option_that_there_is_not_is_refused(where: str, client: str, said: str) -> None:
    """At once, though kafka-python connects later; and it is said where it stands."""
    wrong = "fetch.wait.max.ms" if client == "kafka-python" else "fetch.wait.max.msec"
    options: Any = {"group": "billing", "topics": ["t"], "client": client, where: {wrong: 10}}
    with pytest.raises(ConfigurationError, match=f"^{where}: {said}"):
        Consumer("nowhere:1", **options)


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


def test_its_rack_may_be_said_as_kafka_python_does() -> None:
    """It takes the other name as well."""
    choice, members = read_options({"group": "billing", "kafka": {"client_rack": "r1"}})

    assert ("r1", {}) == (members["rack"], choice.fetch)


def test_racks_may_have_two_names() -> None:
    """What is said of both counts."""
    choice, members = read_options(
        {"group": "billing", "rack": "east", "kafka": {"client.rack": "r1"}}
    )

    assert ("east", {}) == (members["rack"], choice.fetch)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"fencing": "transactional", "client": "kafka-python"},
            'fencing: "transactional" needs client="confluent"',
        ),
        ({"fencing": "exactly-once"}, "fencing: 'exactly-once' is neither"),
        ({"fencing": "transactional", "mode": "broadcasting"}, 'fencing: in mode "broadcasting"'),
    ],
)
def test_fencing_is_of_one_kind(options: dict[str, Any], said: str) -> None:
    """And of queues that have one owner."""
    with pytest.raises(ConfigurationError, match=f"^{said}"):
        Consumer("localhost:9092", group="billing", topics=["t"], **options)
