"""What is set arrives where it is used, in that layer's own units."""

from pathlib import Path

import pytest

from console.cluster import java_options, native_options
from console.settings import Settings, load
from console.wiring import options
from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import Millis
from streaming.options import (
    EndpointOptions,
    FeedOptions,
    KafkaOptions,
    Options,
    QueryOptions,
    SparkOptions,
    TopicOptions,
)

CHOSEN = {
    "home": "here",
    "kafka.options": '{"security.protocol": "SSL", "sasl.jaas.config": "j", "sasl.username": "u"}',
    "topics.prefix": "p.",
    "topics.partitions": "3",
    "controller.name": "c",
    "controller.tick_interval": "2s",
    "controller.max_clock_step": "7s",
    "controller.cells_per_partition": "4",
    "controller.checkpoint": "shared/checkpoint",
    "controller.heartbeat_batch_interval": "3s",
    "controller.heartbeat_batch_rows": "5",
    "controller.fetch_wait": "6ms",
    "controller.stuck_after": "8s",
    "controller.ui_address": "10.0.0.2",
    "controller.ui_port": "0",
    "controller.http_address": "::1",
    "controller.http_port": "81",
    "policy.heartbeat_budget": "11",
    "policy.session_timeout": "38s",
    "policy.session_timeout_min": "35s",
    "brokers.quorum": "7",
    "brokers.cluster": "east",
    "routes.poll_interval": "9s",
    "routes.file": "routes.yaml",
    "routes.name_servers": "n:1;m:2, o:3",
    "routes.racks": "true",
    "spark.master": "spark://s:7077",
    "spark.driver_host": "h",
    "spark.worker_python": "python9",
    "spark.driver_memory": "2GiB",
    "spark.options.spark.x": "y",
}


def chosen() -> Settings:
    """Settings that differ from every default."""
    flags = [f"{name}={value}" for name, value in CHOSEN.items()]
    return load(key_values=flags, environment={}).settings


def test_every_choice_reaches_the_job() -> None:
    """No setting is forgotten on the way, and units are those of the layer below."""
    settings = chosen()
    made = options(settings, bootstrap_servers="k:1", jars=Path("jars"))
    assert Millis(38_000) == made.policy.session_timeout_ms
    assert Millis(7_000) == made.policy.max_clock_step_ms
    assert (
        Options(
            name="c",
            home=Path("here"),
            policy=made.policy,
            verdicts=VerdictPolicy(quorum=7),
            kafka=KafkaOptions(
                bootstrap_servers="k:1",
                java=java_options(settings),
                native={"security.protocol": "SSL", "sasl.username": "u"},
            ),
            topics=TopicOptions(prefix="p.", partitions=3),
            query=QueryOptions(
                checkpoint="shared/checkpoint",
                cells_per_partition=4,
                routine_interval_ms=3_000,
                routine_rows=5,
                fetch_wait_ms=6,
                stuck_ms=8_000,
            ),
            feeds=FeedOptions(
                tick_interval_ms=2_000,
                route_poll_interval_ms=9_000,
                route_file=Path("routes.yaml"),
                racks=True,
                name_servers=((("n", 1), ("m", 2)), (("o", 3),)),
                cluster="east",
                heartbeat_budget=11,
            ),
            spark=SparkOptions(
                master="spark://s:7077",
                driver_host="h",
                worker_python="python9",
                driver_memory_bytes=2 * 1024**3,
                jars=Path("jars"),
                ui_address="10.0.0.2",
                ui_port=0,
                further={"spark.x": "y"},
            ),
            endpoint=EndpointOptions(address="::1", port=81),
        )
        == made
    )


def test_librdkafka_is_spared_what_only_java_knows() -> None:
    """It refuses to start on such a name; everything else is passed on untouched."""
    assert {"security.protocol": "SSL", "sasl.username": "u"} == native_options(chosen())


def told(**options: str) -> Settings:
    """Settings with these options of Kafka; an underscore is a point."""
    flags = [f"kafka.options.{it.replace('_', '.')}={value}" for it, value in options.items()]
    return load(key_values=flags, environment={}).settings


@pytest.mark.parametrize(
    ("mechanism", "module"),
    [("PLAIN", "plain.PlainLoginModule"), ("SCRAM-SHA-512", "scram.ScramLoginModule")],
)
def test_java_is_told_the_user_and_whom_to_trust(mechanism: str, module: str) -> None:
    """By the words that librdkafka has, and with any password."""
    java = java_options(
        told(
            sasl_mechanism=mechanism,
            sasl_username="ann",
            sasl_password='a"b\\c;',
            ssl_ca_location="/ca.pem",
        )
    )

    login = f"org.apache.kafka.common.security.{module} required "
    assert login + r'username="ann" password="a\"b\\c;";' == java["sasl.jaas.config"]
    assert ("PEM", "/ca.pem") == (java["ssl.truststore.type"], java["ssl.truststore.location"])


def test_what_is_said_in_javas_words_stands() -> None:
    """Nothing is added to it."""
    settings = told(
        sasl_mechanism="PLAIN",
        sasl_username="ann",
        sasl_password="p",
        sasl_jaas_config="mine",
        ssl_ca_location="/ca.pem",
        ssl_truststore_location="/store.jks",
    )

    assert settings.kafka.options == java_options(settings)


@pytest.mark.parametrize("place", ["probe", "a folder"])
def test_java_looks_for_the_systems_authorities_by_itself(place: str, tmp_path: Path) -> None:
    """It reads none from a folder."""
    settings = told(ssl_ca_location=str(tmp_path) if place == "a folder" else place)

    assert settings.kafka.options == java_options(settings)


def test_both_are_told_that_names_of_hosts_do_not_count() -> None:
    """Java has no word for it, and librdkafka no empty one."""
    for said in ("none", ""):
        settings = told(ssl_endpoint_identification_algorithm=said)
        assert ["none"] == [*native_options(settings).values()]
        assert [""] == [*java_options(settings).values()]
