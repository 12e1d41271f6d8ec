"""What a run comes to: a table for people, figures for programs, and a picture.

Called by the command. Its one rule: nothing is computed here that ``figures`` can compute.
"""

from collections.abc import Mapping

from bench.brokers.figures import Story, percentile
from bench.brokers.plan import Fault, Kind, Phase
from bench.brokers.producers import Note
from console.output import columns
from console.plot import line_chart

_BIN_S = 2.0


def table(story: Story) -> str:
    """One row for each kind, and below it what became of the verdicts."""
    rows = [_row(story, kind) for kind in Kind]
    return "\n\n".join([columns(rows, *rows[0]), columns(_verdicts(story), *_verdicts(story)[0])])


def _row(story: Story, kind: Kind) -> dict[str, object]:
    sent, after = story.of(kind), story.after_verdict(kind)
    newcomers = story.newcomers(kind)
    avoiding = sum(not story.touched(notes[0]) for notes in newcomers)
    row: dict[str, object] = {
        "producers": kind,
        "messages": len(sent),
        "touched it": _percent(story, sent),
    }
    for phase in story.phases:
        if phase.fault is not Fault.NONE:
            row[f"while {phase.fault}"] = _percent(story, story.of(kind, phase.begin, phase.end))
    return row | {
        "after the verdict": _percent(story, after),
        "newcomers that avoid it from the first": f"{avoiding} of {len(newcomers)}",
        "newcomers' messages": _percent(story, [it for notes in newcomers for it in notes]),
        "p50": f"{percentile(sent, 50):.0f} ms",
        "p99": f"{percentile(sent, 99):,.0f} ms",
        "max": f"{max(it.took_s for it in sent):.1f} s",
        "lost": sum(it.failed for it in sent),
    }


def _percent(story: Story, notes: list[Note]) -> str:
    share = story.share(notes)
    return "-" if share is None else f"{100 * share:.2f} %"


def _verdicts(story: Story) -> list[dict[str, object]]:
    return [
        {
            "the bad broker is": phase.fault,
            "out of use by the verdict after": _seconds(out, phase, story),
            "in use again after": _seconds(free, after, story),
        }
        for phase, after in zip(story.phases, story.phases[1:], strict=False)
        if phase.fault is not Fault.NONE
        for out, free in [(story.condemned_s(phase), story.freed_s(after))]
    ]


def _seconds(at: float | None, phase: Phase, story: Story) -> str:
    if at is None:
        return "never"
    return f"{at - phase.begin:.1f} s ({(at - phase.begin) / story.plan.sweep_s:.1f} sweeps)"


def headline(story: Story) -> dict[str, float | int]:
    """Return the figures by name."""
    figures: dict[str, float | int] = {}
    for kind in Kind:
        name, sent = kind.name.lower(), story.of(kind)
        shares = {
            "touched": story.share(sent),
            "touched_after_verdict": story.share(story.after_verdict(kind)),
        }
        figures |= {f"{name}_{what}": round(it, 5) for what, it in shares.items() if it is not None}
        figures |= {
            f"{name}_messages": len(sent),
            f"{name}_lost": sum(it.failed for it in sent),
            f"{name}_p50_ms": round(percentile(sent, 50), 1),
            f"{name}_p99_ms": round(percentile(sent, 99), 1),
            f"{name}_newcomers": len(story.newcomers(kind)),
            f"{name}_newcomers_avoiding": sum(
                not story.touched(notes[0]) for notes in story.newcomers(kind)
            ),
        }
    for phase, after in zip(story.phases, story.phases[1:], strict=False):
        if phase.fault is not Fault.NONE:
            out, free = story.condemned_s(phase), story.freed_s(after)
            if out is not None:
                figures[f"{phase.fault}_sweeps_until_out"] = round(
                    (out - phase.begin) / story.plan.sweep_s, 2
                )
            if free is not None:
                figures[f"{phase.fault}_sweeps_until_back"] = round(
                    (free - after.begin) / story.plan.sweep_s, 2
                )
    return figures


def picture(story: Story) -> str:
    """Draw the share of messages that touch the bad broker, over time."""
    end = story.phases[-1].end
    lines: Mapping[str, list[int]] = {
        kind: [
            round(100 * (story.share(story.of(kind, _BIN_S * it, _BIN_S * (it + 1))) or 0))
            for it in range(int(end / _BIN_S))
        ]
        for kind in Kind
    }
    faults = ", ".join(
        f"{it.fault} {it.begin:.0f} to {it.end:.0f} s"
        for it in story.phases
        if it.fault is not Fault.NONE
    )
    title = f"Messages that touch the bad broker ({faults})"
    return line_chart(title, f"time, {_BIN_S:.0f} s a step", "%", lines)
