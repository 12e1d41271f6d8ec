"""Brokers: whether each is fit for use, by the newest verdicts.

Called by `trimtab brokers`. What producers would make of a verdict is what is shown.
"""

from collections.abc import Iterable, Sequence

from console.views.history import moment
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
    return _row(verdict, _fit(verdict) if _has_lapsed(verdict, now_ms) else _said(verdict))


def explained(told: Sequence[Verdict], now: Verdict, now_ms: int) -> list[Row]:
    """Describe what was said of a broker, and what the newest verdict means now.

    What an earlier verdict said it said of its time, however long ago it has lapsed.
    """
    last = told[-1] if told else None
    if last is not None and (last.available, last.panic) == (now.available, now.panic):
        now = now.model_copy(update={"at_ms": last.at_ms})
    found = [_row(it, _said(it)) for it in (*told, *([] if now == last else [now]))]
    if _has_lapsed(now, now_ms) and not now.available:
        over = {"state": _fit(now), "since": said(now.until_ms), "until": None}
        nobody: Row = {"detector": None, "voters": []}
        found.append(found[-1] | over | nobody | {"reason": "the verdict has lapsed"})
    return found


def _has_lapsed(verdict: Verdict, now_ms: int) -> bool:
    return verdict.until_ms is not None and verdict.until_ms <= now_ms


def _said(verdict: Verdict) -> str:
    return _fit(verdict) if verdict.available else "out"


def _fit(verdict: Verdict) -> str:
    return "panic" if verdict.panic else "available"


def _row(verdict: Verdict, state: str) -> Row:
    return {
        "cluster": verdict.cluster,
        "broker": verdict.broker,
        "state": state,
        "since": said(moment(verdict)),
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
