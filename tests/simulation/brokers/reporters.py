"""The model reporters: what each kind of producer says of its brokers, once a second.

They are producers first: they follow the verdicts as any reader does, and do not call a broker that
is out of use unless they were asked to test it. A liar changes what it saw by random numbers of its
own, so a world in which it tells the truth is otherwise the same.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from tests.simulation.brokers.model_brokers import FAILS, Brokers
from tests.simulation.brokers.plan import Kind, Plan
from trimtab.protocol import Verdict

IMPOSSIBLE: Final = (0, -3, 1e12, float("nan"), float("inf"))
"""Latencies (E9). The contract refuses all but the first, and the jury that one."""
_FAR: Final = (0.0, 5_000.0, FAILS)

Seen = dict[str, tuple[int, float]]
"""Calls, and what they took, by broker."""


class Reporter:
    """One producer."""

    def __init__(self, name: str, kind: Kind, plan: Plan, brokers: Brokers) -> None:
        self.name, self.kind = name, kind
        self._plan, self._brokers = plan, brokers
        self._chance = Random(f"{plan.seed} {name}")
        self._dice = Random(f"{plan.seed} lies of {name}")
        self._lives, self._sequence = 1, 0
        self._silent_until = 0
        self.complained_of_all = self.lied = False

    def window(self, now: int, told: dict[str, Verdict]) -> bytes | None:
        """Say what was seen in the last second; nothing while silent."""
        if self.kind is Kind.FICKLE and self._is_silent(now):
            return None
        seen = self._seen(now, told)
        if self.kind in (Kind.LIAR, Kind.COLLUDER) and not self._plan.truthful:
            seen = self._lies(seen, now)
        self._sequence += 1
        return self._written(seen)

    def _is_silent(self, now: int) -> bool:
        if now >= self._silent_until and self._chance.random() < 0.05:
            self._silent_until = now + self._chance.choice([3_000, 15_000])
            self._lives += 1
            self._sequence = 0
        return now < self._silent_until

    def _seen(self, now: int, told: dict[str, Verdict]) -> Seen:
        far = self._chance.choice(_FAR) if self.kind is Kind.FAR else 0.0
        self.complained_of_all = far != 0.0
        seen: Seen = {}
        for broker in self._brokers.all:
            calls = self._chance.randint(0, 1) if self.kind is Kind.SCARCE else 20
            verdict = told.get(broker)
            if verdict is not None and is_out(verdict, now):
                calls = int(self.name in (verdict.testers or ()))
            took = self._brokers.latency_ms(broker, now) * self._chance.uniform(0.9, 1.1)
            failed = FAILS in (far, self._brokers.latency_ms(broker, now))
            seen[broker] = (calls, FAILS if failed else took + far)
        return seen

    def _lies(self, seen: Seen, now: int) -> Seen:
        """Say of some what is not true. Nobody is called by a liar more or less than in truth."""
        self.lied = True
        if self.kind is Kind.COLLUDER:
            victim = self._brokers.all[now // 10_000 % len(self._brokers.all)]
            lie = 5.0 if self._brokers.is_bad(victim, now) else FAILS
            return seen | {victim: (max(20, seen[victim][0]), lie)}
        lies = (FAILS, 0.1, 5.0, 400.0, 9_000.0)
        return {broker: (calls, self._dice.choice(lies)) for broker, (calls, _) in seen.items()}

    def _written(self, seen: Seen) -> bytes:
        brokers = [self._figure(name, *it) for name, it in seen.items() if it[0]]
        if self.kind is Kind.GARBLED and brokers and self._sequence % 4 == 0:
            figure = self._chance.choice(brokers)
            wrong = self._chance.choice(IMPOSSIBLE)
            figure |= {"errors": 0, "p50_ms": wrong, "p99_ms": wrong, "max_ms": wrong}
        record = {
            "v": 1,
            "kind": "report",
            "reporter": self.name,
            "incarnation": f"{1_767_225_600_000 + self._lives}-00000000",
            "sequence": self._sequence,
            "window_ms": 1_000,
            "brokers": brokers,
        }
        return json.dumps(record).encode()

    def _figure(self, broker: str, calls: int, took: float) -> dict[str, Any]:
        latency = max(took, 1.0)
        return {
            "broker": broker,
            "count": calls,
            "errors": calls if took == FAILS else 0,
            "p50_ms": latency,
            "p99_ms": latency,
            "max_ms": latency,
            "address": self._brokers.address(broker),
        }


def is_out(verdict: Verdict, now: int) -> bool:
    """What every reader makes of a verdict: one that has lapsed counts as available."""
    return not verdict.available and (verdict.until_ms is None or now < verdict.until_ms)


def reporters(plan: Plan, brokers: Brokers) -> Iterator[Reporter]:
    """Everybody who reports."""
    for name, kind in plan.reporters:
        yield Reporter(name, kind, plan, brokers)
