"""The report: what was done in a round, how often, and how long queues had no owner for it.

Pure; printed by the command.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

from chaos.checks import CHECKS, Checks
from chaos.commit_checks import excused
from chaos.faults import Kind
from chaos.history import History, S
from chaos.ownership import Span, tenures


def gaps(history: History) -> Iterator[Span]:
    """The times in which a queue that had had an owner had none, up to the rest."""
    over = next((event.at for event in history if event.kind == "rested"), history[-1].at)
    by_queue = defaultdict[int, list[Span]](list)
    for tenure in tenures(history):
        by_queue[tenure.queue].append(tenure.span)
    for spans in by_queue.values():
        spans.append(Span(max(over, *(it.end for it in spans)), over))
        for before, after in pairwise(sorted(spans)):
            if after.begin > before.end:
                yield Span(before.end, after.begin)


def faults(history: History, kinds: Collection[Kind] = ()) -> list[dict[str, object]]:
    """For each kind of fault: how often, and the longest time without an owner that began in it.

    Those that were to come and did not are named as well, and those that were left out counted.
    """
    longest = defaultdict[str, list[float]](list)
    every = list(gaps(history))
    begun: dict[str, int] = {}
    for event in history:
        if event.kind == "fault":
            begun[event.said] = event.at
        elif event.kind == "cured":
            during = Span(begun[event.said], event.at)
            felt = [
                (it.end - it.begin) / S for it in every if during.begin <= it.begin < during.end
            ]
            longest[_kind(event.said)].append(max(felt, default=0.0))
    left_out = Counter(_kind(event.said) for event in history if event.kind == "omitted")
    return [
        {
            "fault": kind,
            "times": len(those := longest.get(kind, [])),
            "left out": left_out[kind],
            "longest without owner": f"{max(those):.2f} s" if those else "-",
        }
        for kind in sorted({*longest, *left_out, *map(str, kinds)})
    ]


_NEEDED: Final = {
    "acknowledged": "no message was acknowledged",
    "handed_out": "no message was handed out",
    "commits": "nothing was committed",
    "faults": "no fault came",
}


def too_little(history: History) -> Iterator[str]:
    """Say what a round must have and this one has not: of nothing, nothing is wrong."""
    found = figures(history)
    return (text for figure, text in _NEEDED.items() if not found[figure])


def figures(history: History) -> dict[str, float | int]:
    """What happened, in numbers."""
    count = Counter(event.kind for event in history)
    handed = Counter(event.number for event in history if event.kind == "handed")
    at = {event.kind: event.at for event in history if event.kind in {"healed", "rested"}}
    return {
        "acknowledged": count["acked"],
        "handed_out": count["handed"],
        "twice_or_more": sum(times > 1 for times in handed.values()),
        "refused_by_token": count["refused"],
        "grants": count["began"],
        "losses": count["lost"],
        "commits": count["committed"],
        "commits_set_back_in_a_freeze": excused(history),
        "lives": count["started"],
        "faults": count["fault"],
        "faults_left_out": count["omitted"],
        "longest_without_owner_s": _seconds(max((b - a for a, b in gaps(history)), default=0)),
        "rested_after_s": _seconds(at.get("rested", 0) - at.get("healed", 0)),
    }


def verdicts(violations: dict[str, list[str]], checks: Checks = CHECKS) -> list[dict[str, object]]:
    """Each check, and how often it failed."""
    return [{"check": name, "violations": len(violations.get(name, ()))} for name in checks]


def _kind(said: str) -> str:
    words = said.split()
    return " ".join(words[:-1] if words[-1].startswith("m") and words[-1][1:].isdigit() else words)


def _seconds(nanoseconds: int) -> float:
    return round(nanoseconds / S, 3)
