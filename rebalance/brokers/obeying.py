"""Operators' commands about brokers: they win over every detector, until they end or are replaced.

An eject keeps a broker out. A restore keeps it in, and drops what the jury held against it. A
forget ends both, and drops the broker's history. Facts about topics come in here too.

Called by ``step``. Its one rule: a command is carried out at once or shown as spared (``limits``),
never silently dropped, and every one is answered.
"""

from collections.abc import Sequence
from dataclasses import replace

from rebalance.brokers.ballots import discard
from rebalance.brokers.cluster import Broker, StandingCommand
from rebalance.brokers.decisions import BrokerCommandAnswered, ReportRefused
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import BrokerCommanded, BrokerForgotten, Hosted
from rebalance.brokers.hosting import host, is_full
from rebalance.brokers.limits import last_heard
from rebalance.brokers.publication import publish
from rebalance.ids import BrokerName, Millis


def obey(draft: Draft, event: BrokerCommanded) -> None:
    """Obey a command and answer it, with what readers are told then."""
    if event.broker not in draft.brokers and len(draft.brokers) >= draft.policy.brokers_max:
        _answer(draft, event, done=False, detail=f"more than {draft.policy.brokers_max} brokers")
        return
    if event.until_ms is not None and event.until_ms <= event.stamp.appended:
        late_ms = event.stamp.appended - event.until_ms
        detail = f"its end was {late_ms / 1_000:.0f} s ago by Kafka's clock"
        _answer(draft, event, done=False, detail=detail)
        return
    _enter(draft, event)
    publish(draft)
    told = draft.told[event.broker]
    spared = not event.available and told.available and event.broker in draft.commands
    _answer(draft, event, done=True, detail=told.reason if spared else "")


def _answer(
    draft: Draft, event: BrokerCommanded | BrokerForgotten, *, done: bool, detail: str
) -> None:
    answer = BrokerCommandAnswered(draft.name, event.command, event.stamp, done=done, detail=detail)
    draft.decisions.append(answer)


def _enter(draft: Draft, event: BrokerCommanded) -> None:
    broker = draft.brokers.get(event.broker)
    if broker is None:  # a command is no news of it
        broker = Broker(last_heard(draft), draft.now)
    if event.available:
        broker = replace(broker, out=None, spared=None, ejections=0, calm=draft.now)
        draft.items.pop(event.broker, None)
        discard(draft, event.broker)
    draft.brokers[event.broker] = broker
    before = draft.commands.pop(event.broker, None)
    left = None if event.until_ms is None else event.until_ms - event.stamp.appended
    if left is None and event.available:
        return
    draft.commands[event.broker] = StandingCommand(
        event.available,
        event.reason,
        Millis(event.stamp.appended),
        event.until_ms,
        None if left is None else Millis(draft.now + left),
        broker.heard if before is None or before.available else before.heard,
    )


def forget(draft: Draft, event: BrokerForgotten) -> None:
    """Forget a broker; reports will make its acquaintance anew."""
    known = event.broker in draft.brokers
    draft.commands.pop(event.broker, None)
    draft.brokers.pop(event.broker, None)
    draft.items.pop(event.broker, None)
    discard(draft, event.broker)
    publish(draft)
    detail = "" if known else f"no broker is known as {event.broker}"
    _answer(draft, event, done=known, detail=detail)


def observe(draft: Draft, event: Hosted) -> bool:
    """Enter which brokers a topic has, which makes them known, and where they are (E10).

    Returns whether that is news: a watcher that starts anew says everything again.
    """
    if event.brokers and event.topic not in draft.topics and is_full(draft):
        detail = f"more than {draft.policy.topics_max} topics"
        draft.decisions.append(ReportRefused(draft.name, event.stamp, detail))
        return False
    before = _known(draft, event)
    host(draft, event.topic, event.brokers)
    draft.leases.pop(event.topic, None)
    if event.brokers and event.lease_ms is not None:
        draft.leases[event.topic] = Millis(draft.now + event.lease_ms)
    for name in sorted(event.brokers):
        _know(draft, name, event.addresses.get(name, ""))
    return before != _known(draft, event)


def _known(draft: Draft, event: Hosted) -> tuple[object, ...]:
    brokers = [draft.brokers.get(name) for name in sorted(event.brokers)]
    return draft.topics.get(event.topic), brokers


def _know(draft: Draft, name: BrokerName, place: str) -> None:
    broker = draft.brokers.get(name)
    if broker is None:
        if len(draft.brokers) < draft.policy.brokers_max:
            draft.brokers[name] = Broker(draft.now, draft.now, place=place)
    elif place and place != broker.place:
        if broker.place and place != broker.address:  # else reporters have said so already
            broker = Broker(draft.now, draft.now)
            draft.items.pop(name, None)
            discard(draft, name)
        draft.brokers[name] = replace(broker, place=place)


def lapse(draft: Draft) -> bool:
    """End the commands whose time is over; return whether there were any."""
    return _end(
        draft,
        [
            name
            for name, command in draft.commands.items()
            if command.until is not None and draft.now >= command.until
        ],
    )


def lapse_as_published(draft: Draft) -> None:
    """End those that are over for readers: the log clock stands while no controller is there."""
    _end(
        draft,
        [
            name
            for name, command in draft.commands.items()
            if command.until_ms is not None and draft.sure >= command.until_ms
        ],
    )


def _end(draft: Draft, over: Sequence[BrokerName]) -> bool:
    for name in over:
        drop_votes(draft, name)
        del draft.commands[name]
    return bool(over)


def drop_votes(draft: Draft, name: BrokerName) -> None:
    """Count no votes on a broker that an operator keeps out: nobody calls it.

    Failures in a row count for longer than a sweep, and what speaks for a broker does not.
    """
    broker = draft.brokers.get(name)
    if not draft.commands[name].available and broker is not None and broker.out is None:
        discard(draft, name)
