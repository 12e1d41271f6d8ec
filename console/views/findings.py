"""Findings: what is wrong with a group, the brokers or the controller, and what to do about it.

Each rule looks at published records alone and says nothing of what is well. A rule that needs time
gets it from the caller. Called by `trimtab doctor`, which reads the records.

A finding names what to do next, as a command or as a place to look at; and its kind is a heading
of docs/troubleshooting.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from console.views.moments import ago
from console.views.sentences import several
from console.views.typed import WHY, quoted, typed
from trimtab.protocol import Group, Join, MemberSummary, Verdict

COLUMNS = ("kind", "subject", "finding", "remedy")

STUCK_MS = 120_000
"""Twice the longest time that a member of the SDKs has by default to let go (60 s)."""
_RETRIES = "%RETRY%"
"""How RocketMQ calls topics of messages that failed (`MixAll.RETRY_GROUP_TOPIC_PREFIX`)."""


class Kind(StrEnum):
    """What may be found; each has a section in docs/troubleshooting.md."""

    SILENT_CONTROLLER = "silent controller"
    LATE_CONTROLLER = "late controller"
    AILMENT = "ailment"
    PAUSE = "pause"
    STARVED = "starved"
    STUCK = "stuck"
    NO_ROUTES = "no routes"
    UNCOVERED = "uncovered"
    OVERLAP = "overlap"
    SUBSCRIPTIONS = "subscriptions"
    FOREIGN = "foreign members"
    UNATTACHED = "unattached consumers"
    LAG = "lag"
    ORPHAN_LAG = "orphan lag"
    HELD = "held"
    RESTING = "resting"
    RETURNING = "returning"
    TWINS = "twins"
    CLAIM = "claim"
    DEAD_LETTERS = "dead letters"
    BROKER_OUT = "broker out"
    PANIC = "panic"


class Finding(NamedTuple):
    """What is wrong with whom, and what to do."""

    kind: Kind
    subject: str
    finding: str
    remedy: str

    def row(self) -> dict[str, object]:
        """Return it for a table."""
        return {**self._asdict(), "kind": self.kind.value}


def of_group(group: Group, now_ms: int) -> Iterator[Finding]:
    """Say what a group's summary shows to be wrong."""
    name = group.group
    if group.ailment:
        again = f"`{typed('groups rebalance', name, options=WHY)}` tries again"
        remedy = f"`{typed('groups explain', name)}`; {again}"
        yield Finding(Kind.AILMENT, name, f"it has a failure: {group.ailment}", remedy)
    if group.paused:
        remedy = f"`{typed('groups resume', name, options=WHY)}`"
        end = group.paused_until_ms
        left = f"for {ago(max(0, end - now_ms))} more" if end else "until somebody resumes it"
        finding = f"it is paused, {left}"
        yield Finding(Kind.PAUSE, name, finding, remedy)
    if group.members and group.state == "starved":
        yield _starved(group)
    lasts_ms = now_ms - group.at_ms
    if group.members and lasts_ms > STUCK_MS:
        yield from _of_queues(group, ago(lasts_ms))
    if group.members:
        yield from _of_routes(group, lasts=lasts_ms > STUCK_MS)
    yield from _of_people(group)


def _of_queues(group: Group, lasting: str) -> Iterator[Finding]:
    """Say which queues have been on their way, or without a worker, for long.

    A group that is starved is at rest, and has a finding of its own.
    """
    of, free = group.queues, _show(group.group, "unassigned")
    if group.state == "reconciling" and of.moving:
        finding = f"{of.moving} queues have been moving for {lasting}"
        finding += f", and {of.unassigned} have no worker" if of.unassigned else ""
        remedy = f"{_show(group.group, 'moving')} names who does not let go"
        yield Finding(Kind.STUCK, group.group, finding, remedy)
    elif group.state == "reconciling":
        finding = "queues wait for members that have not shown that they read releases, for "
        both = f"{free} and {_show(group.group, 'waiting')}"
        remedy = f"{both} list them; look at the members' logs: may they read?"
        yield Finding(Kind.STUCK, group.group, finding + lasting, remedy)
    elif of.unassigned and group.state != "starved":
        finding = f"{of.unassigned} queues have had no worker for {lasting}; it is {group.state}"
        remedy = f"{free}; `{typed('groups explain', group.group)}`"
        yield Finding(Kind.STUCK, group.group, finding, remedy)


def _show(group: str, state: str) -> str:
    return f"`{typed('queues list', group, options=f'--state {state}')}`"


def _of_routes(group: Group, *, lasts: bool) -> Iterator[Finding]:
    """Say which topics its members wait for, whatever else they work on.

    That one does not exist is said at once. Of version 0 nobody has said anything yet, which counts
    if it lasts: its name server may be away. RocketMQ makes a
    group's topic of messages to be tried again when the first one fails.
    """
    asked = [it for it in sorted(group.topics.items()) if not it[0].startswith(_RETRIES)]
    if awaited := [name for name, it in asked if it.awaited and it.version]:
        finding = f"it waits for topics that do not exist: {several(awaited)}"
        remedy = "create them, or mend their names in the members"
        yield Finding(Kind.NO_ROUTES, group.group, finding, remedy)
    if lasts and (unknown := [name for name, it in asked if not it.version]):
        finding = f"it waits for its routes: {several(unknown)}"
        remedy = "look at the controller's log; if they are RocketMQ's, at routes.name_servers"
        yield Finding(Kind.NO_ROUTES, group.group, finding, remedy)


def _starved(group: Group) -> Finding:
    name, why = group.group, "; ".join(group.shortage or ())
    drained = [it.member for it in group.people if it.draining]
    finding = f"{group.queues.unassigned} queues have no worker"
    look = _show(name, "unassigned")
    if why and len(drained) < group.members:
        return Finding(Kind.STARVED, name, f"{finding}: {why}", look)
    if drained:
        remedy = f"start a member, or `{typed('groups undrain', name, drained[0], options=WHY)}`"
        return Finding(Kind.STARVED, name, f"{finding}: {several(drained)} drain", remedy)
    away = [it.member for it in group.people if it.away]
    if away:
        remedy = "start them, or wait for the end of their session"
        finding = f"{finding}: kept for {several(away)}, which is away"
        return Finding(Kind.STARVED, name, finding, remedy)
    return Finding(Kind.STARVED, name, finding, look)


def _of_people(group: Group) -> Iterator[Finding]:
    def those(trait: str) -> list[str]:
        return [it.member for it in group.people if getattr(it, trait)]

    assert {"held", "resting"} <= MemberSummary.model_fields.keys()
    silent = those("held")
    if silent and group.paused:
        remedy = (
            "look at them; resume the group, or evict the dead ones with `trimtab groups evict`"
        )
        finding = f"{several(silent)} are silent, and nobody is evicted while the group is paused"
        yield Finding(Kind.HELD, group.group, finding, remedy)
    elif silent:
        approve = typed("groups approve", group.group, options=WHY)
        remedy = f"look at them; `{approve}` if they are dead"
        finding = f"{several(silent)} are silent; too many at once, so evictions wait"
        yield Finding(Kind.HELD, group.group, finding, remedy)
    if resting := those("resting"):
        remedy = "look at their logs: they come and go too often, and get no queues for a while"
        yield Finding(Kind.RESTING, group.group, f"{several(resting)} rest", remedy)


def of_subscriptions(group: Group, joins: Iterable[Join]) -> Iterator[Finding]:
    """Say who subscribes what, as far as their joins are kept; members are those of the summary."""
    wishes: dict[str, list[str]] = defaultdict(list)
    said = {it.member: several((*it.topics, *(it.patterns or ()))) for it in joins}
    for person in group.people:
        wishes[said.get(person.member, "not known any more")].append(person.member)
    parts = (f"{several(members)}: {wish}" for wish, members in sorted(wishes.items()))
    finding = f"its members have {group.subscriptions} different subscriptions ({'; '.join(parts)})"
    remedy = "unless a deployment is under way, give all the same topics"
    yield Finding(Kind.SUBSCRIPTIONS, group.group, finding, remedy)


def of_subscribers(group: str, clients: Sequence[str]) -> Iterator[Finding]:
    """Say who has joined Kafka's own group of this name."""
    if clients:
        consumers = "1 consumer" if len(clients) == 1 else f"{len(clients)} consumers"
        finding = f"{consumers} of Kafka's own with the same group.id: "
        remedy = "stop them, or give them another group.id: they read what members read as well"
        yield Finding(Kind.FOREIGN, group, finding + several(clients), remedy)


def of_movers(group: str, clients: Sequence[str]) -> Iterator[Finding]:
    """Say who keeps a group from its move; all its queues are on Kafka's side."""
    if clients:
        finding = f"{len(clients)} of its consumers on Kafka's side cannot move: {several(clients)}"
        remedy = (
            "nothing is read twice; make each a MovingConsumer, and then "
            f"`{typed('groups move', group, 'trimtab', options=WHY)}`"
        )
        yield Finding(Kind.FOREIGN, group, finding, remedy)


def of_unattached(group: str, clients: Sequence[str]) -> Iterator[Finding]:
    """Say who works on the group's queues, and does not ask the controller."""
    if clients:
        finding = (
            f"{len(clients)} consumers of RocketMQ take its queues by RocketMQ's rule, "
            "without the controller: "
        )
        remedy = (
            "attach them, or stop them, unless a hook in their brokers serves them: "
            "each of their queues has a second owner"
        )
        yield Finding(Kind.UNATTACHED, group, finding + several(clients), remedy)


def of_brokers(verdicts: Iterable[Verdict], now_ms: int) -> Iterator[Finding]:
    """Say which brokers are out of use, and which clusters have too few left to spare one."""
    panicked = set()
    for it in verdicts:
        where = f"{it.cluster}/{it.broker}"
        if it.panic:
            panicked.add(it.cluster)
        elif not it.available and (it.until_ms is None or it.until_ms > now_ms):
            of = f"--cluster {quoted(it.cluster)}"
            remedy = f"`{typed('brokers explain', it.broker, options=of)}`"
            yield Finding(Kind.BROKER_OUT, where, f"out of use: {it.reason}", remedy)
    for cluster in sorted(panicked):
        remedy = (
            f"`trimtab brokers list --cluster {quoted(cluster)}`: too many are unfit to avoid any"
        )
        yield Finding(Kind.PANIC, cluster, "verdicts are ignored", remedy)
