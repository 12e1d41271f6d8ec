"""The composition root: from settings to the frozen values that the layers below define.

They read no settings and no environment; all their choices come from here. Used by `trimtab run`,
`trimtab replay`, the demo and the benches.
"""

from pathlib import Path

from console.cluster import java_options, native_options
from console.settings import Settings
from console.settings.places import places
from console.settings.sections import RedisSettings
from console.settings.units import milliseconds
from streaming.options import (
    EndpointOptions,
    FeedOptions,
    KafkaOptions,
    Options,
    QueryOptions,
    RedisOptions,
    SparkOptions,
    TopicOptions,
)


def described(settings: Settings) -> Options:
    """What a controller of these settings decides by; neither its Kafka nor its jars are there."""
    return options(settings, bootstrap_servers="", jars=Path())


def options(
    settings: Settings, *, bootstrap_servers: str, jars: Path, new_checkpoint: bool = False
) -> Options:
    """What the streaming job is started with.

    Args:
        settings: The settings.
        bootstrap_servers: The Kafka to use, which the settings may leave open.
        jars: The directory of Spark's Kafka connector, likewise.
        new_checkpoint: Begin a new checkpoint, whatever is there.
    """
    controller = settings.controller
    return Options(
        name=controller.name,
        home=Path(settings.home),
        policy=settings.policy.policy(controller.max_clock_step),
        verdicts=settings.brokers.policy(),
        kafka=KafkaOptions(
            bootstrap_servers=bootstrap_servers,
            java=java_options(settings),
            native=native_options(settings),
        ),
        topics=TopicOptions(prefix=settings.topics.prefix, partitions=settings.topics.partitions),
        query=QueryOptions(
            checkpoint=controller.checkpoint,
            cells_per_partition=controller.cells_per_partition,
            routine_interval_ms=milliseconds(controller.heartbeat_batch_interval),
            routine_rows=controller.heartbeat_batch_rows,
            fetch_wait_ms=milliseconds(controller.fetch_wait),
            stuck_ms=milliseconds(controller.stuck_after),
            new_checkpoint=new_checkpoint,
        ),
        feeds=_feeds(settings),
        spark=SparkOptions(
            master=settings.spark.master,
            driver_host=settings.spark.driver_host,
            worker_python=settings.spark.worker_python,
            driver_memory_bytes=settings.spark.driver_memory,
            jars=jars,
            ui_address=controller.ui_address,
            ui_port=controller.ui_port,
            further=settings.spark.options,
        ),
        endpoint=EndpointOptions(address=controller.http_address, port=controller.http_port),
        redis=_redis(settings.redis),
    )


def _feeds(settings: Settings) -> FeedOptions:
    routes = settings.routes
    return FeedOptions(
        tick_interval_ms=milliseconds(settings.controller.tick_interval),
        route_poll_interval_ms=milliseconds(routes.poll_interval),
        route_file=Path(routes.file) if routes.file else None,
        racks=routes.racks,
        name_servers=places(routes.name_servers) if routes.name_servers else (),
        cluster=settings.brokers.cluster,
        heartbeat_budget=settings.policy.heartbeat_budget,
    )


def _redis(redis: RedisSettings) -> RedisOptions | None:
    if redis.url is None:
        return None
    return RedisOptions(url=redis.url, expire_ms=milliseconds(redis.expire_after))
