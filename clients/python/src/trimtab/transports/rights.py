"""The rights that a member needs of Kafka, and how one that is missing is named.

Kafka names the resource at most, and never the operation: a topic that may not be described looks
as if it did not exist. So who asks says what it was about to do.

Used by both transports. The table for people is docs/rights.md; a test on a real listener compares
both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from trimtab.protocol import ASSIGNMENTS, HEARTBEATS, MEMBERS, RELEASES
from trimtab.transports.link import Link

Operation = Literal["Describe", "Read", "Write"]
Kind = Literal["topic", "group", "transactional-id"]
"""What a right is about, as an option of kafka-acls.sh."""

NEEDED: Final[Mapping[str, tuple[Operation, ...]]] = {
    MEMBERS.name: ("Write",),
    HEARTBEATS.name: ("Write",),
    RELEASES.name: ("Read", "Write"),
    ASSIGNMENTS.name: ("Read",),
}
"""Of a member, by topic. Each brings Describe (`AclEntry` of Kafka's authorizer)."""


def denied(link: Link, topic: str, *operations: Operation) -> str:
    """Name what is missing on one topic, and the command that gives it."""
    return _worded(link, {topic: operations})


def lacking(link: Link, kind: Kind, names: Sequence[str], *operations: Operation) -> str:
    """Name what is missing on things of one kind; transactional ids by what they begin with."""
    return _worded(link, dict.fromkeys(names, operations), kind)


def hidden(link: Link, prefix: str, topics: Iterable[str]) -> str:
    """Name what is missing where topics of trimtab's may not even be described."""
    return _worded(link, {it: NEEDED[it.removeprefix(prefix)] for it in topics})


def _worded(link: Link, missing: Mapping[str, Sequence[Operation]], kind: Kind = "topic") -> str:
    what, prefixed = kind.replace("-", " "), ""
    if kind == "transactional-id":
        what, prefixed = "transactional ids that begin with", " --resource-pattern-type prefixed"
    lacks = ", ".join(f"{' and '.join(them)} on {what} {it}" for it, them in missing.items())
    name, operations = next(iter(missing.items()))
    flags = " ".join(f"--operation {it}" for it in operations)
    each = f" (and so for each {kind})" if len(missing) > 1 else ""
    return (
        f"{link.who} has no right to {lacks} (Kafka at {link.place}): run kafka-acls.sh "
        f"--bootstrap-server {link.place} --add --allow-principal {link.principal} {flags} "
        f"--{kind} {name}{prefixed}{each}"
    )
