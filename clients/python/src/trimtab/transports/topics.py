"""Which topics a member uses, and the partition its group has in all of them.

All records of a group are in one partition number of every topic, or the controller would decide
about it in two places. Used by both transports when they connect. Its one rule: a member does not
start on topics whose partitions disagree.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from trimtab.errors import TransportError
from trimtab.protocol import ASSIGNMENTS, HEARTBEATS, MEMBERS, RELEASES, limits, partition_of
from trimtab.transports.link import Link
from trimtab.transports.rights import hidden as not_described

FOLLOWED: Final = (ASSIGNMENTS.name, RELEASES.name)
LARGEST_BYTES: Final = limits.RECORD_BYTES + limits.AROUND_BYTES
"""A record with its key, as the topics take it (`trimtab.protocol.topics`)."""
TOUCHED: Final = (MEMBERS.name, HEARTBEATS.name, *FOLLOWED)


def missing(prefix: str, partitions: Mapping[str, int]) -> tuple[str, ...]:
    """Those that were not found, by their full names."""
    return tuple(prefix + name for name in TOUCHED if not partitions.get(prefix + name))


def unusable(
    absent: Iterable[str], hidden: Iterable[str], prefix: str, link: Link
) -> TransportError:
    """Word which of trimtab's topics are not there, and which may not be seen."""
    reasons = [
        f"topic {it} does not exist on Kafka at {link.place}: run `trimtab topics init` there, or "
        "say the `prefix` that trimtab's topics have"
        for it in absent
    ]
    if denied := [*hidden]:
        reasons.append(not_described(link, prefix, denied))
    return TransportError("; ".join(reasons))


def group_partition(group: str, prefix: str, partitions: Mapping[str, int]) -> int:
    """The group's partition, given the number of partitions of each topic (by its full name)."""
    counts = {partitions[prefix + name] for name in TOUCHED}
    if len(counts) > 1:
        raise TransportError(
            f"the topics {prefix}* differ in their number of partitions: run `trimtab topics check`"
        )
    return partition_of(group, counts.pop())
