"""Haste: no member is evicted that has spoken lately, whatever the times in the log say (I6).

The auditor reads times, so it cannot judge where a broker's clock is wrong. Here it is known when
each record was really written.
"""

from collections.abc import Iterator, Sequence

from audit.violations import Invariant, Violation
from rebalance.groups.model.decisions import Decision, MemberChange, MemberChanged
from tests.simulation.brain import Brain
from tests.simulation.model_kafka import Broker
from tests.simulation.rules import GROUP, PREFIX
from tests.simulation.scenario import MAX_STEP_MS, SESSION_MS
from trimtab.protocol import HEARTBEATS, MEMBERS


def hasty(brain: Brain, broker: Broker, decided: Sequence[Decision]) -> Iterator[Violation]:
    """Name those who were expired within a session, and less a step, of what they said last."""
    if not broker.behind_ms:
        return  # the auditor can
    beating = f"{PREFIX}{HEARTBEATS.name}"
    logs = (broker.log(topic) for topic in (HEARTBEATS, MEMBERS))
    rows = [row for log in logs for row in log if row.offset <= brain.furthest.get(row.topic, -1)]
    for it in decided:
        if isinstance(it, MemberChanged) and it.change is MemberChange.EXPIRED:
            name = it.life.shared_name
            then = next(broker.written_at(row) for row in rows if row.position == it.cause.position)
            marks = f'"member":"{name}"'.encode(), f'"{it.incarnation}"'.encode()
            said = [row for row in rows if all(mark in (row.value or b"") for mark in marks)]
            # What is repeated proves nothing: it counts when it was written first (B3). And where
            # the clock is behind, nothing tells that a join came after a beat of its life (B2).
            beats = [broker.written_at(row) for row in said if row.topic == beating]
            began = min(beats, default=then)
            dated = [row for row in said if row.topic == beating or broker.written_at(row) < began]
            first = {row.value: broker.written_at(row) for row in reversed(dated)}
            before = [at for at in first.values() if at < then]
            silent_ms = then - max(before) if before else 0
            if silent_ms < SESSION_MS - MAX_STEP_MS:
                detail = f"expired {silent_ms} ms after what it said last, as it really was"
                yield Violation(Invariant.PATIENT, GROUP, name, detail)
