"""Publication: what readers are told of each broker, and when.

A verdict is published when it changes, and again once a renewal interval as long as reports come
in or a command stands, so that readers can tell a quiet cluster from a controller that is gone.

Called by ``step`` after a sweep and after a command. Its one rule: nothing is published twice
without cause, and ``available`` is what the limits, the operator and the jury say together.
"""

from dataclasses import replace

from rebalance.brokers.cluster import Broker
from rebalance.brokers.decisions import VerdictIssued, VerdictTurned, VerdictWithdrawn
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import ReporterId
from rebalance.brokers.limits import InForce, in_force
from rebalance.ids import BrokerName

OPERATOR = "operator"


def publish(draft: Draft) -> None:
    """Say what is new, and what is due to be said again."""
    force = in_force(draft)
    due = draft.now - draft.renewed >= draft.policy.renewal_ms
    due = due and bool(draft.reporters or draft.commands)
    if due:
        draft.renewed = draft.now
    for name in sorted(draft.brokers):
        before, now = draft.told.get(name), _verdict(draft, name, draft.brokers[name], force)
        if before is None or due or _says_else(before, now):
            _tell(draft, before, now)
    for name in sorted(draft.told.keys() - draft.brokers.keys()):
        del draft.told[name]
        draft.decisions.append(VerdictWithdrawn(draft.name, name))


def _tell(draft: Draft, before: VerdictIssued | None, now: VerdictIssued) -> None:
    same = before is not None and before.available == now.available
    if before is not None and same:
        now = replace(now, since_ms=before.since_ms)
    panicked = before is not None and before.panic
    now = replace(
        now,
        turned=not now.available or now.panic
        if before is None
        else not same or panicked != now.panic,
    )
    draft.told[now.broker] = now
    draft.decisions.append(now)
    if now.turned:
        draft.decisions.append(VerdictTurned(now, draft.published(draft.now)))


def _says_else(before: VerdictIssued, now: VerdictIssued) -> bool:
    """Whether readers would act or explain differently; counts and wording alone are no news."""

    def gist(it: VerdictIssued) -> tuple[object, ...]:
        return it.available, it.until_ms, it.detector, it.panic, it.testers, it.shadow

    return gist(before) != gist(now)


def _verdict(draft: Draft, name: BrokerName, broker: Broker, force: InForce) -> VerdictIssued:
    command, limit = draft.commands.get(name), force.spared.get(name)
    available = name not in force.out
    ruled = None if command is not None else broker.out
    since, until, reason, detector = draft.published(draft.now), None, "nothing against it", None
    voters: tuple[ReporterId, ...] = ()
    if command is not None:
        since, until, detector = command.since_ms, command.until_ms, OPERATOR
        reason = command.reason
    elif ruled is not None:
        since, until, detector = ruled.since_ms, ruled.until_ms, ruled.detector
        reason, voters = ruled.reason, ruled.voters
    elif broker.spared is not None:
        detector, reason, limit, voters = broker.spared
    if draft.in_panic and detector != OPERATOR:
        reason, until, detector = "too many are unfit: health is ignored", None, None
        voters = ()
    elif limit is not None:
        reason, until = f"spared, {limit}: {reason}", None
    return VerdictIssued(
        draft.name,
        name,
        available,
        since,
        until,
        reason,
        detector,
        draft.in_panic,
        ruled.testers if ruled is not None and not available else (),
        broker.shadow,
        broker.reports,
        broker.errors,
        voters=voters,
    )
