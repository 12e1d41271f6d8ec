"""Topics are made on a cluster whose brokers learn of them one after the other."""

from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from console.errors import Failure
from console.topics import create_missing, survey
from trimtab.protocol import kept_for, topic_specs

SPECS = topic_specs("t.", 2)


class Brokers:
    """Each request is answered by the next broker; those that lag know no new topic at first."""

    def __init__(self, lagging: int) -> None:
        self.made, self.second = False, 1
        """Whether there are topics, and who leads the second partition of each."""
        self._lagging = lagging

    def list_topics(self, topic: str | None, timeout: float) -> Any:  # noqa: ANN401 - as the client's
        """List all, if they were made."""
        del topic, timeout
        parts = [SimpleNamespace(leader=it, replicas=[1]) for it in (1, self.second)]
        known = [SimpleNamespace(partitions=dict(enumerate(parts))) for _ in SPECS]
        names = [it.name for it in SPECS] if self.made else []
        return SimpleNamespace(topics=dict(zip(names, known, strict=False)))

    def create_topics(self, topics: list[Any], **_: object) -> dict[str, Future[None]]:
        """Make all."""
        self.made = True
        return {it.topic: _done(None) for it in topics}

    def describe_configs(self, resources: list[Any], **_: object) -> dict[Any, Future[Any]]:
        """Say how they are, unless this broker lags."""
        self._lagging -= 1
        if self._lagging >= 0:
            unknown = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
            return {it: _failed(unknown) for it in resources}
        return {it: _done(_configured(it.name)) for it in resources}


def test_a_broker_that_has_not_heard_of_a_new_topic_is_asked_again() -> None:
    """Until it has: another one lists the topic already."""
    admin = cast("AdminClient", Brokers(lagging=2))

    assert not any(
        it.problems for it in create_missing(admin, survey(admin, SPECS, "here"), "here")
    )


def test_a_setting_that_differs_has_a_command_that_can_be_typed() -> None:
    """With the cluster, without which it would only say how it is used."""
    brokers = Brokers(lagging=0)
    brokers.made = True
    spec = replace(SPECS[0], config={**SPECS[0].config, "cleanup.policy": "compact,delete"})
    (found,) = survey(cast("AdminClient", brokers), [spec], "here:1")

    (problem,) = found.problems
    assert "run kafka-configs.sh --bootstrap-server here:1 --alter --entity-type topics" in problem


def test_a_topic_that_nobody_leads_is_named_and_keeps_nothing_from_starting() -> None:
    """`topics check` says so; a controller waits for a broker that comes back."""
    brokers = Brokers(lagging=0)
    brokers.made, brokers.second = True, -1
    (found,) = survey(cast("AdminClient", brokers), SPECS[:1], "here:1")

    assert ((), (1,), "no leader") == (found.problems, found.unled, found.state)


def test_what_is_kept_for_less_is_rolled_sooner() -> None:
    """Kafka keeps the segment that it writes: of an hour with those of a day seven would stay."""
    brokers = Brokers(lagging=0)
    brokers.made = True
    (spec,) = (it for it in SPECS if it.name == "t.heartbeats")
    hour = kept_for(3_600_000)
    (found,) = survey(
        cast("AdminClient", brokers), [replace(spec, config={**spec.config, **hour})], "here:1"
    )

    (problem,) = found.problems
    added = problem.rpartition("--add-config ")[2]
    assert hour == dict(it.split("=") for it in added.split(","))


def test_a_broker_that_never_hears_of_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the topic's name, when time is up."""
    monkeypatch.setattr("console.topics.REQUEST_TIMEOUT_S", 0.1)
    admin = cast("AdminClient", Brokers(lagging=1_000))

    with pytest.raises(Failure, match=r"t\.\w+ could not be read"):
        create_missing(admin, survey(admin, SPECS, "here"), "here")


def _configured(name: str) -> dict[str, Any]:
    (spec,) = [it for it in SPECS if it.name == name]
    return {key: SimpleNamespace(value=value) for key, value in spec.config.items()}


def _done(value: object) -> Future[Any]:
    future = Future[Any]()
    future.set_result(value)
    return future


def _failed(error: Exception) -> Future[Any]:
    future = Future[Any]()
    future.set_exception(error)
    return future
