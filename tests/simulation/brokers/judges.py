"""Those who judge the jury: what it published, against the truth and by its promises alone.

They read records as any reader does and share no line with the brain. What was in a batch they are
told before its records; between two records of a batch only what holds at any moment is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.wire.rows import Row
from tests.simulation.brokers.controller import CLUSTER
from tests.simulation.brokers.model_brokers import Brokers
from tests.simulation.brokers.plan import (
    EJECTION_MAX_MS,
    JITTER_PERCENT,
    STREAK_MS,
    SWEEP_MS,
    Plan,
)
from tests.simulation.brokers.reporters import is_out
from tests.simulation.rules import PREFIX
from trimtab.protocol import (
    COMMANDS,
    LATENCY,
    DeadLetter,
    Eject,
    Forget,
    Hosts,
    Restore,
    Topic,
    UndecodableRecord,
    Verdict,
    decode,
)

_SPOKEN: Final[Mapping[str, Topic[Any]]] = {
    f"{PREFIX}{topic.name}": topic for topic in (LATENCY, COMMANDS)
}
LATE_MS: Final = 12_000
"""The longest that a report is on its way."""
EVIDENCE_MS: Final = LATE_MS + STREAK_MS + 3 * SWEEP_MS
"""For how long what a broker did may be held against it: until the last report of it is in, as long
as failures count, and some sweeps."""
_EJECTED_PERCENT: Final = 30
_FREED_MS: Final = EJECTION_MAX_MS * (100 + JITTER_PERCENT) // 100
"""The longest ejection."""


@dataclass(slots=True)
class Judges:
    """What they know."""

    plan: Plan
    brokers: Brokers
    told: dict[str, Verdict] = field(default_factory=dict)
    hosts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    orders: dict[str, Eject | Restore] = field(default_factory=dict)
    impossible: set[int] = field(default_factory=set)
    """Records of `latency` that break the contract, by offset; and those that were refused."""
    refused: set[int] = field(default_factory=set)
    said: list[tuple[object, ...]] = field(default_factory=list)
    """All that readers act on, in order."""

    def hear(self, rows: Iterable[Row]) -> None:
        """What the controller reads now: facts and orders."""
        for row in sorted(rows, key=lambda it: it.appended_ms):
            topic = _SPOKEN.get(row.topic)
            if topic is None:
                continue
            try:
                record = decode(topic, row.value)
            except UndecodableRecord:
                self.impossible.add(row.offset)
                continue
            self._note(record, row.appended_ms)

    def _note(self, record: object, at: int) -> None:
        match record:
            case Hosts(topic=topic, brokers=brokers):
                self.hosts.pop(topic, None)
                self.hosts |= {topic: brokers} if brokers else {}
            case Eject() | Restore():
                self.orders.pop(record.broker, None)
                if record.until_ms is not None and record.until_ms > at:
                    self.orders[record.broker] = record
            case Forget(broker=str(broker)):
                self.orders.pop(broker, None)

    def read(self, broker: str, verdict: Verdict | None, now: int) -> Iterator[str]:
        """One record is out; yields what is wrong."""
        if verdict is None:
            self.told.pop(broker, None)
            return
        before = self.told.get(broker)
        self.told[broker] = verdict
        self.said.append(_gist(verdict))
        if verdict.cluster != CLUSTER:
            yield f"a verdict on another cluster: {verdict.cluster}"
        if len(self.told) > 1 and self.out(now) == set(self.told):
            yield "all brokers are out of use"
        if not verdict.available:
            yield from self._ejected(before, verdict, now)

    def _ejected(self, before: Verdict | None, verdict: Verdict, now: int) -> Iterator[str]:
        broker = verdict.broker
        if verdict.detector == "operator":
            return
        if verdict.panic:
            yield f"{broker} is out in a panic"
        if verdict.until_ms is None or verdict.until_ms > now + _FREED_MS:
            yield f"{broker} is out until {verdict.until_ms}, for ever or too long"
        lapsed = not is_out(verdict, now)  # it was passed on what was read late, and binds nobody
        if lapsed or (before is not None and is_out(before, now)):
            return
        if self.plan.lonely or not self.brokers.was_bad(broker, now - EVIDENCE_MS, now):
            yield f"{broker} is out for nothing: {verdict.reason}"

    def dead_letter_of(self, letter: DeadLetter) -> None:
        """A dead letter is out; what the jury itself refuses is no concern of the contract."""
        if letter.reason != "refused":
            self.refused.add(letter.offset)

    def batch_ends(self, now: int) -> Iterator[str]:
        """All of a batch is out; ``now`` is the time of its last record."""
        out = self.out(now)
        for topic, hosts in self.hosts.items():
            if out >= set(hosts):
                yield f"{topic} has lost its last broker: {hosts}"
        ruled = [it for it in self.told.values() if is_out(it, now) and it.detector != "operator"]
        if len(ruled) > max(1, len(self.told) * _EJECTED_PERCENT // 100):
            yield f"{len(ruled)} of {len(self.told)} are out"
        yield from self._obeyed(now)

    def _obeyed(self, now: int) -> Iterator[str]:
        for broker, order in list(self.orders.items()):
            assert order.until_ms is not None
            if order.until_ms <= now:
                del self.orders[broker]
            elif order.until_ms > now + SWEEP_MS:  # near its end it may have lapsed already
                verdict = self.told[broker]
                spared = verdict.available and verdict.reason.startswith("spared")
                if not spared and verdict.available != isinstance(order, Restore):
                    yield f"{broker}: {order.kind} was not obeyed: {verdict.reason}"

    def out(self, now: int) -> set[str]:
        """The brokers that readers keep away from."""
        return {broker for broker, it in self.told.items() if is_out(it, now)}

    def at_rest(self) -> Iterator[str]:
        """Nothing was wrong for long: nothing may be left of it."""
        panics = [broker for broker, it in self.told.items() if it.panic]
        if panics:
            yield f"a panic about {panics} does not end"
        for broker, verdict in self.told.items():
            if not verdict.available and verdict.detector != "operator":
                yield f"{broker} is still out: {verdict}"
        if self.refused != self.impossible:
            yield f"impossible were {self.impossible}, and refused {self.refused}"


def _gist(verdict: Verdict) -> tuple[object, ...]:
    """What readers act on; figures and wording may differ by what a liar says."""
    return (
        verdict.broker,
        verdict.available,
        verdict.since_ms,
        verdict.until_ms,
        verdict.detector,
        verdict.panic,
        verdict.testers,
    )


def protected(hosts: Mapping[str, tuple[str, ...]], broker: str, out: set[str]) -> bool:
    """Whether a broker is all that is left to a topic."""
    return any(set(it) - out == {broker} for it in hosts.values())
