"""Who plays in the demo: the settings they share, and the command line of each process.

The demo is sealed off from the settings it was called with: it has a Kafka of its own, so it must
not inherit the address, the credentials or the topics of another, nor write into the Redis that
follows another, nor take a name for its own that another has. It takes over what describes the
machine (`spark`, `log`) and the strategy, so that `--set policy.strategy=...` can be watched at
work. Its settings are a file, so that other commands can look at the demo: `trimtab topics check
--config <the file>`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from console.demo.acts import CONTROLLER, PRODUCER
from console.settings import Settings
from console.settings.brokers import BrokerSettings
from console.settings.groups import PolicySettings
from console.settings.sections import (
    ControllerSettings,
    KafkaSettings,
    RedisSettings,
    RouteSettings,
)
from console.settings.topics import TopicSettings
from console.settings.units import parse_duration
from rebalance.groups.model.policy import STEPS_IN_A_SESSION

GROUP: Final = "demo"
TOPIC: Final = "demo-orders"

MESSAGES_PER_SECOND: Final = 200
"""Enough that a lost or repeated message cannot hide, little enough for two busy cores."""

SESSION_TIMEOUT: Final = "6s"
"""A killed member's queues rest this long: short enough to watch. Six beats must be lost for it."""
_SESSION: Final = parse_duration(SESSION_TIMEOUT)
_STEP: Final = _SESSION / STEPS_IN_A_SESSION
"""So short sessions need a shorter step, and ticks and batches that fit into one."""
_HEARTBEAT_INTERVAL: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the processes play, and where they leave what they write."""

    directory: Path
    bootstrap_servers: str
    queues: int

    @property
    def settings(self) -> Path:
        """The settings file of the demo."""
        return self.directory / "trimtab.toml"

    @property
    def journals(self) -> Path:
        """The directory of the journals."""
        return self.directory / "journals"

    @property
    def logs(self) -> Path:
        """The directory of the logs."""
        return self.directory / "logs"

    def journal(self, name: str) -> Path:
        """The journal of a process."""
        return self.journals / f"{name}.jsonl"

    def log(self, name: str) -> Path:
        """What a process says."""
        return self.logs / f"{name}.log"


def sealed(settings: Settings, place: Place) -> Settings:
    """The settings of the demo."""
    policy = PolicySettings(
        strategy=settings.policy.strategy,
        strategy_options=settings.policy.strategy_options,
        heartbeat_interval=_HEARTBEAT_INTERVAL,
        session_timeout_min=_SESSION,
    )
    chosen = {
        "home": str(place.directory),
        "kafka": KafkaSettings(bootstrap_servers=place.bootstrap_servers),
        "topics": TopicSettings(),
        "controller": ControllerSettings(
            checkpoint=str(place.directory / "checkpoint"),
            max_clock_step=_STEP,
            tick_interval=_STEP / 2,
            heartbeat_batch_interval=_STEP / 2,
            http_port=0,  # another controller may run beside it
        ),
        "policy": policy,
        "brokers": BrokerSettings(),
        "routes": RouteSettings(),
        "redis": RedisSettings(),
    }
    return settings.model_copy(update=chosen)


def command(name: str, place: Place) -> list[str]:
    """How a process is started."""
    if name == CONTROLLER:
        return [sys.executable, "-m", "console.main", "run"]
    common = [
        f"--bootstrap-servers={place.bootstrap_servers}",
        f"--topic={TOPIC}",
        f"--journal={place.journal(name)}",
    ]
    if name == PRODUCER:
        options = [f"--queues={place.queues}", f"--rate={MESSAGES_PER_SECOND}"]
        return [sys.executable, "-m", "console.demo.producer", *common, *options]
    options = [f"--group={GROUP}", f"--member={name}", f"--session-timeout={SESSION_TIMEOUT}"]
    return [sys.executable, "-m", "console.demo.worker", *common, *options]


def environment(place: Place) -> Mapping[str, str]:
    """Ours without the settings in it, which the demo's file replaces."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("TRIMTAB_")}
    return inherited | {"TRIMTAB_CONFIG": str(place.settings)}
