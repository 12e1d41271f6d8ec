"""All settings: one frozen value, the same wherever it came from.

Made by ``console.settings.load`` from flags, the environment and a file; read by the commands;
turned into the lower layers' own values by ``console.wiring``. Rules between sections are checked
here, rules within a section there.
"""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from console.settings.brokers import BrokerSettings
from console.settings.groups import PolicySettings
from console.settings.sections import (
    ControllerSettings,
    KafkaSettings,
    LogSettings,
    RedisSettings,
    RouteSettings,
    SparkSettings,
)
from console.settings.topics import TopicSettings

_DEFAULT_HOME = ".trimtab"


class Settings(BaseSettings):
    """Every setting of trimtab."""

    model_config = SettingsConfigDict(
        title="trimtab settings",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        # What `load` reads more strictly itself; without these a bare `Settings()` would take HOME
        # for `home`.
        env_prefix="TRIMTAB_",
        env_nested_delimiter="__",
    )

    home: str = Field(default=_DEFAULT_HOME, min_length=1)
    """Where trimtab keeps its files: the checkpoint, and the embedded Kafka with its log. One
    controller a home."""

    kafka: KafkaSettings = KafkaSettings()
    topics: TopicSettings = TopicSettings()
    controller: ControllerSettings = ControllerSettings()
    policy: PolicySettings = PolicySettings()
    brokers: BrokerSettings = BrokerSettings()
    routes: RouteSettings = RouteSettings()
    spark: SparkSettings = SparkSettings()
    redis: RedisSettings = RedisSettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="before")
    @classmethod
    def _checkpoint_below_home(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        controller = dict(given.get("controller", {}))
        # A variable that a template leaves empty means no place of its own, and never "here".
        if not controller.get("checkpoint"):
            _refuse_own_disk(dict(given.get("spark", {})))
            controller["checkpoint"] = f"{given.get('home', _DEFAULT_HOME)}/checkpoint"
        return {**given, "controller": controller}

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        job = self.controller
        # A join may be read so much ahead of the beats, and must not be thought to be older.
        if job.max_clock_step < job.heartbeat_batch_interval + job.tick_interval:
            raise ValueError(
                "controller.max_clock_step must be at least controller.heartbeat_batch_interval "
                "and controller.tick_interval together, or the log's clock falls behind"
            )
        try:
            self.policy.policy(job.max_clock_step)
        except ValueError as error:
            raise ValueError(f"policy: {error}") from error
        if "racks" in self.policy.strategy_options and not self.routes.racks:
            raise ValueError(
                "policy.strategy_options.racks needs routes.racks = true, or nobody knows in which "
                "racks partitions have replicas"
            )
        if self.kafka.bootstrap_servers is None and self.topics.replication_factor > 1:
            raise ValueError(
                "topics.replication_factor must be 1 on the embedded Kafka, which is one broker; "
                "or set kafka.bootstrap_servers"
            )
        if not self.spark.master.startswith("local") and self.spark.driver_host is None:
            raise ValueError(
                f"spark.driver_host must be set, because spark.master is {self.spark.master}: the "
                "address under which Spark's workers reach this process"
            )
        return self


def _refuse_own_disk(spark: Mapping[str, Any]) -> None:
    """Refuse to keep below home what workers elsewhere read and write; first they must reach us."""
    master = str(spark.get("master", "local"))
    if not master.startswith("local") and spark.get("driver_host"):
        raise ValueError(
            f"controller.checkpoint must be set, because spark.master is {master}: a place that "
            "Spark's workers reach as well, under the same name (docs/cluster.md)"
        )
