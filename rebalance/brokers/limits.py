"""Limits: no verdict takes out the last broker of a topic, or too many, or all.

The limits hold at any time, not only when a broker is taken out: a topic may shrink to the one
broker that is out. So they are applied to all ejections together: operators' commands first, then
the older ejection, each as long as it fits.

Called by ``sweep`` and ``publication``. Its one rule: I11, never all brokers unavailable and never
the last one of a topic, not even by a command.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from rebalance.brokers.draft import Draft
from rebalance.ids import BrokerName, Millis

_TOO_FEW: Final = "too few would be left"
Present = frozenset[BrokerName]
"""Those that are there (``present``)."""


class InForce(NamedTuple):
    """What is left of all ejections and commands."""

    out: frozenset[BrokerName]
    """Out of use now."""
    spared: Mapping[BrokerName, str]
    """Who would be, and the limit that forbids it."""


def in_force(draft: Draft) -> InForce:
    """Apply the limits to all brokers that are to be out of use."""
    out: set[BrokerName] = set()
    spared: dict[BrokerName, str] = {}
    there = present(draft)
    ejected = [(it.since_ms, name) for name, it in draft.commands.items() if not it.available]
    ejected_by_votes = [
        (broker.out.since_ms, name)
        for name, broker in draft.brokers.items()
        if broker.out is not None and name not in draft.commands and not draft.in_panic
    ]
    for _, name in sorted(ejected):
        if _endangers(draft, there, out, name):
            spared[name] = _TOO_FEW
        else:
            out.add(name)
    for _, name in sorted(ejected_by_votes):
        limit = limit_for(draft, there, out, name)
        if limit is None:
            out.add(name)
        else:
            spared[name] = limit
    assert not out or there - out, "one broker is left (I11)"
    return InForce(frozenset(out), spared)


def limit_for(
    draft: Draft, there: Present, taken: Collection[BrokerName], name: BrokerName
) -> str | None:
    """Return what forbids the detectors to take this one too; None: nothing does."""
    known = len(there)
    room = max(1, known * draft.policy.ejected_percent_max // 100)
    if sum(other not in draft.commands for other in taken) >= room:
        return f"no more than {room} of {known} may be out"
    return _TOO_FEW if _endangers(draft, there, taken, name) else None


def present(draft: Draft) -> Present:
    """Return the brokers that are there; one that was replaced is known for an hour more.

    It was not heard of when others were: while nobody reports, nothing shows that any has gone.
    """
    hosts = {name for brokers in draft.topics.values() for name in brokers}
    last = last_heard(draft)
    return frozenset(
        name
        for name, it in draft.brokers.items()
        if last - it.heard <= draft.policy.reporter_ms
        or it.out is not None
        or name in draft.commands
        or name in hosts
    )


def last_heard(draft: Draft) -> Millis:
    """Return when brokers were last heard of.

    Whoever still uses one that an operator keeps out has no other, and says nothing of the others:
    of that one counts what was heard before.
    """
    before = {name: it.heard for name, it in draft.commands.items() if not it.available}
    heard = (before.get(name, it.heard) for name, it in draft.brokers.items())
    return max(heard, default=draft.now)


def _endangers(
    draft: Draft, there: Present, taken: Collection[BrokerName], name: BrokerName
) -> bool:
    """Return whether taking this one too would leave nothing, or nothing for some topic."""
    if not there - {name, *taken}:
        return True
    return any(
        name in hosts and all(host == name or host in taken for host in hosts)
        for hosts in draft.topics.values()
    )
