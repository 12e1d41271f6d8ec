"""Brokers: whether each is fit for use, by the newest verdicts.

Called by `trimtab brokers`. What producers would make of a verdict is what is shown.
"""

from collections.abc import Iterable

from console.views.moments import said
from trimtab.protocol import Verdict

Row = dict[str, object]

NARROW = ("cluster", "broker", "state", "since", "until", "detector", "shadow", "reason")
WIDE = ("reports", "errors", "testers", "voters")
EXPLAINED = ("state", "since", "until", "detector", "voters", "reason")
BEYOND = ("shadow", "reports", "errors", "testers")
"""Of one broker, who spoke against it is the point."""


def row(verdict: Verdict, now_ms: int) -> Row:
    """Describe a verdict; one that has lapsed counts as available."""
    lapsed = verdict.until_ms is not None and verdict.until_ms <= now_ms
    fit = "panic" if verdict.panic else "available"
    return {
        "cluster": verdict.cluster,
        "broker": verdict.broker,
        "state": fit if verdict.available or lapsed else "out",
        "since": said(verdict.since_ms),
        "until": said(verdict.until_ms),
        "detector": verdict.detector,
        "shadow": verdict.shadow,
        "reason": verdict.reason,
        "reports": verdict.reports,
        "errors": verdict.errors,
        "testers": list(verdict.testers or ()),
        "voters": list(verdict.voters or ()),
    }


def rows(verdicts: Iterable[Verdict], now_ms: int, cluster: str | None = None) -> list[Row]:
    """Describe verdicts, or those of one cluster."""
    return [row(it, now_ms) for it in verdicts if cluster in (None, it.cluster)]
