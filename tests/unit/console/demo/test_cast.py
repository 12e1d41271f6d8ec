"""The demo's settings: sealed off from the caller's, but for the machine and the strategy."""

from pathlib import Path

import pytest

from console.demo.cast import Place, environment, sealed
from console.settings import load

PLACE = Place(Path("demo"), bootstrap_servers="127.0.0.1:1", queues=16)


def test_another_kafka_is_not_inherited() -> None:
    """Neither its address nor its credentials nor its topics."""
    settings = load(
        environment={},
        key_values=[
            "kafka.bootstrap_servers=kafka:9092",
            "kafka.options.security.protocol=SSL",
            "topics.prefix=theirs.",
            "topics.replication_factor=3",
        ],
    ).settings
    demo = sealed(settings, PLACE)

    assert (demo.kafka.bootstrap_servers, demo.kafka.options) == ("127.0.0.1:1", {})
    assert (demo.topics.prefix, demo.topics.replication_factor) == ("trimtab.", 1)
    assert demo.controller.checkpoint == "demo/checkpoint"


def test_no_other_system_is_inherited() -> None:
    """The members of a demo are nobody's business in a Redis, nor is a name of RocketMQ's here."""
    settings = load(
        environment={},
        key_values=[
            "redis.url=redis://theirs:6379/0",
            "routes.name_servers=theirs:9876",
            "brokers.cluster=theirs",
        ],
    ).settings
    demo = sealed(settings, PLACE)

    assert demo.redis.url is None
    assert demo.routes.name_servers is None
    assert demo.brokers.cluster is None


def test_the_machine_and_the_strategy_are() -> None:
    """What Spark needs here, and what people want to see at work."""
    chosen = ["spark.driver_memory=2GiB", "policy.strategy=AVG_BY_CIRCLE"]
    demo = sealed(load(environment={}, key_values=chosen).settings, PLACE)

    assert demo.spark.driver_memory == 2 * 1024**3
    assert demo.policy.strategy == "AVG_BY_CIRCLE"


def test_the_environment_names_the_demos_settings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controller of the demo must not read the caller's variables."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "kafka:9092")
    monkeypatch.setenv("JAVA_HOME", "here")
    names = environment(PLACE)

    assert {name for name in names if name.startswith("TRIMTAB_")} == {"TRIMTAB_CONFIG"}
    assert (names["TRIMTAB_CONFIG"], names["JAVA_HOME"]) == ("demo/trimtab.toml", "here")
