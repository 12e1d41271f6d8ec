"""The sides of the bench, and what each is set to.

Kafka's newer protocol (KIP-848) is set by group, in the broker; a client says only that it speaks
it. Used by the command and by each member's process. Its one rule: what is not here is at its
default, but for where a group without offsets begins. Who is tuned fetches as trimtab's consumer
does by default, so that a first message shows the protocol and not the fetch before it.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)


class Side(StrEnum):
    """Who shares out queues."""

    TRIMTAB = "trimtab"
    KIP_848 = "kip-848"
    TUNED = "kip-848-tuned"
    FAST = "kip-848-fast"
    COOPERATIVE = "cooperative-sticky"


_GROUP: Final[Mapping[Side, Mapping[str, str]]] = {
    Side.TUNED: {
        "consumer.heartbeat.interval.ms": "1000",
        "consumer.session.timeout.ms": "6000",
    },
    Side.FAST: {
        "consumer.heartbeat.interval.ms": "200",
        "consumer.session.timeout.ms": "2000",
        "consumer.assignment.interval.ms": "0",
    },
}
_FETCH: Final = {"fetch.wait.max.ms": "25"}
"""Of who is tuned: as ``trimtab.consuming.confluent_settings``; the default is 500."""
BROKER: Final[Mapping[str, str]] = MappingProxyType(
    {
        # What is faster than the defaults is refused by default.
        "group.consumer.min.heartbeat.interval.ms": "200",
        "group.consumer.min.session.timeout.ms": "2000",
    }
)


def set_up(side: Side, servers: str, group: str) -> None:
    """Set a group's timers, before it has members."""
    wanted = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        for name, value in _GROUP.get(side, {}).items()
    ]
    if wanted:
        resource = ConfigResource(ResourceType.GROUP, group, incremental_configs=wanted)
        admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        admin.incremental_alter_configs([resource])[resource].result()


def client_of(side: Side) -> dict[str, str]:
    """What a client of Kafka's own protocols is told."""
    if side is Side.COOPERATIVE:
        return {"partition.assignment.strategy": "cooperative-sticky"}
    return {"group.protocol": "consumer"} | (_FETCH if side in _GROUP else {})
