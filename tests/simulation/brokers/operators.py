"""Those who speak to the jury besides reporters: the host watcher, and operators.

The watcher says which brokers each topic has, and where they are. Operators eject and restore for a
while, and forget. What happens to topics and brokers happens here, because the watcher sees it.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

from tests.simulation.brokers.controller import CLUSTER, Log
from tests.simulation.brokers.model_brokers import Brokers
from tests.simulation.brokers.plan import Plan, Quirk
from trimtab.protocol import COMMANDS, LATENCY, Eject, Forget, Hosts, Restore, encode

_KEY: Final = CLUSTER.encode()
Command = Eject | Restore | Forget


class Operators:
    """Watcher and operators."""

    def __init__(self, plan: Plan, log: Log, brokers: Brokers, hits: Counter[str]) -> None:
        self._plan, self._log, self._brokers, self._hits = plan, log, brokers, hits
        self._chance = Random(f"{plan.seed} operators")
        self._topics = dict(plan.topics)
        self.replaced: dict[str, int] = {}
        """When each was."""

    def look(self, now: int) -> None:
        """Say of each topic where it is."""
        for topic, hosts in self._topics.items():
            where = tuple(map(self._brokers.address, hosts))
            said = Hosts(topic=topic, brokers=tuple(hosts), addresses=where if hosts else None)
            self._log.append(LATENCY, _KEY, encode(said), now)

    def act(self, now: int) -> None:
        """Perhaps something happens."""
        happens: dict[Quirk, Callable[[int], None]] = {
            Quirk.COMMANDS: self._command,
            Quirk.ROUTES: self._move,
            Quirk.REPLACEMENTS: self._replace,
        }
        for quirk, action in happens.items():
            if self._chance.random() < 0.03 and quirk in self._plan.quirks:
                action(now)

    def _command(self, now: int) -> None:
        broker = self._chance.choice(self._brokers.all)
        until = now + self._chance.choice([5_000, 20_000])
        common = {"id": f"{now}", "principal": "ann", "reason": "because", "broker": broker}
        command = self._chance.choice(
            [
                Eject(**common, until_ms=until),  # type: ignore[arg-type] # all are text
                Restore(**common, until_ms=until),  # type: ignore[arg-type] # all are text
                Forget(**common),  # type: ignore[arg-type] # all are text
            ]
        )
        self._log.append(COMMANDS, _KEY, encode(command), now)

    def _move(self, now: int) -> None:
        topic = self._chance.choice([*self._topics, "new"])
        count = self._chance.randint(0, 2)
        hosts = "".join(sorted(self._chance.sample(self._brokers.all, count)))
        self._topics[topic] = hosts
        self.look(now)

    def _replace(self, now: int) -> None:
        broker = self._chance.choice(self._brokers.all)
        if self._brokers.is_bad(broker, now):
            self._hits["E10"] += 1
        self._brokers.replace(broker, now)
        self.replaced[broker] = now
        if self._chance.random() < 0.5:  # else reporters are the first to say so
            self.look(now)
