"""Small groups in few words, for the tables of the standing heirs."""

from collections.abc import Mapping

from rebalance.allocation import Applicant
from rebalance.groups.standing.dealing import Dealt, Standing, deal
from rebalance.ids import BrokerName, MemberId, Queue, TopicName


def queue(text: str) -> Queue:
    """Return ``t3``'s: the third of topic t."""
    return Queue(TopicName(text[0]), BrokerName(""), int(text[1:]))


def owned(text: Mapping[str, str]) -> dict[Queue, MemberId]:
    """Read ``{"a": "t0 t1"}``: by member, what it owns."""
    return {queue(it): MemberId(name) for name, said in text.items() for it in said.split()}


def member(topics: str, weight: int = 1, cap: int | None = None, rack: str = "") -> Applicant:
    """Return a member that wants topics of one letter each."""
    return Applicant(frozenset(map(TopicName, topics)), weight, cap, rack)


def members(said: Mapping[str, Applicant]) -> dict[MemberId, Applicant]:
    """Name members."""
    return {MemberId(name): one for name, one in said.items()}


def told(heirs: Mapping[Queue, MemberId | None]) -> dict[str, str | None]:
    """Write queues as they were read."""
    return {f"{it.topic}{it.id}": heir for it, heir in sorted(heirs.items())}


def dealt(
    candidates: Mapping[str, Applicant],
    owners: Mapping[str, str],
    were: Mapping[str, str] | None = None,
) -> Dealt:
    """Deal; ``were`` says by heir which queues it stood heir to."""
    owns = owned(owners)
    return deal(Standing(owns, owned(were or {})), members(candidates), owns, None)
