"""What has to happen, and by when: a broker that is bad for all is out within two sweeps (E2).

This is checked only where nothing explains a delay: the broker was bad without a break, it is the
only bad one, no topic's last one, under no operator's command, and the controller was there. One
that stays in use for lack of reporters, or as a topic's last, counts as a fault that has hit.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from tests.simulation.brokers.judges import Judges, protected
from tests.simulation.brokers.model_brokers import Brokers
from tests.simulation.brokers.plan import SWEEP_MS, Kind, Plan, Quirk, Trouble
from tests.simulation.brokers.reporters import Reporter

IN_TIME_MS: Final = 2 * SWEEP_MS + 3_500
"""Two sweeps; and a window, what the delivery may add to it, and a tick."""
_EXCUSES: Final = {Quirk.ABSENCES, Quirk.CRASHES, Quirk.ODD_CUTS, Quirk.COMMANDS}


class Timeliness:
    """Keeps the time."""

    def __init__(
        self, plan: Plan, brokers: Brokers, judges: Judges, hits: Counter[str], began: int
    ) -> None:
        self._plan, self._brokers, self._judges = plan, brokers, judges
        self._hits, self._began = hits, began
        self._bad_since: dict[str, int] = {}
        self._quiet_since = began
        """Since when at most one broker is bad, and none is out but that one."""
        self._last_out: dict[str, int] = {}
        """Where reports are lost, liars may be the only testers that are heard; and where as many
        testers as the quorum are no honest ones, they free whom they like. Then a bad broker comes
        back, and has to be out again in the same time."""
        self._last_spared: dict[str, int] = {}
        """When it was a topic's last: from when it is not, it has to be out in the same time."""

    def heard(self, reporter: Reporter, now: int) -> None:
        """Count what a reporter did."""
        bad = any(self._brokers.is_bad(broker, now) for broker in self._brokers.all)
        self._hits["E3"] += reporter.lied and reporter.kind is Kind.LIAR
        self._hits["E4"] += reporter.lied and reporter.kind is Kind.COLLUDER
        self._hits["E5"] += reporter.complained_of_all
        self._hits["E6"] += bad and (self._plan.lonely or reporter.kind is Kind.SCARCE)

    def look(self, now: int, replaced: Mapping[str, int]) -> Iterator[str]:
        """Once a second; yields what is overdue."""
        told, out = self._judges.told, self._judges.out(now)
        bad = {broker for broker in self._brokers.all if self._brokers.is_bad(broker, now)}
        self._bad_since = {broker: self._bad_since.get(broker, now) for broker in bad}
        panic = any(it.panic for it in told.values())
        if len(bad) == len(self._brokers.all):
            self._hits["E1"] += panic
            if (
                not panic
                and self._inexcusable()
                and now - max(self._bad_since.values()) >= IN_TIME_MS
            ):
                yield "all brokers are bad, and there is no panic"
        self._hits["E7"] += any(
            episode.trouble is Trouble.OSCILLATING and episode.afflicts(broker, now - self._began)
            for episode in self._plan.episodes
            for broker in out
        )
        if len(bad) > 1 or out - bad or panic:
            self._quiet_since = now
        for broker in bad:
            lossy = Quirk.LOSSY in self._plan.quirks
            if broker in out and (lossy or self._has_odd_testers(broker)):
                self._last_out[broker] = now
            excuses = self._quiet_since, replaced.get(broker, 0), self._last_out.get(broker, 0)
            since = max(self._bad_since[broker], *excuses)
            if now - since >= IN_TIME_MS:
                yield from self._overdue(broker, out, now)

    def _overdue(self, broker: str, out: set[str], now: int) -> Iterator[str]:
        if broker in out:
            self._hits["E2"] += 1
        elif protected(self._judges.hosts, broker, out):
            self._hits["I11"] += 1
            self._last_spared[broker] = now
        elif self._inexcusable() and now - self._last_spared.get(broker, 0) >= IN_TIME_MS:
            yield f"{broker} is bad and not out: {self._judges.told.get(broker)}"

    def _has_odd_testers(self, broker: str) -> bool:
        """Whether those with a bad network are so many, with the liars, that they may free it."""
        kinds, testers = dict(self._plan.reporters), self._judges.told[broker].testers or ()
        return sum(kinds[name] is not Kind.HONEST for name in testers) >= self._plan.quorum

    def _inexcusable(self) -> bool:
        return not self._plan.lonely and not self._plan.quirks & _EXCUSES
