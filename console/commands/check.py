"""`trimtab check`: did the controller ever publish something wrong?

Reads its options and prints; everything else is in ``console.recordings`` and ``audit``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from console.commands.options import (
    ConfigFile,
    KeyValues,
    OneGroup,
    Output,
    Recordings,
    Servers,
    call_of,
    settings_of,
)
from console.encoding import visible
from console.errors import ExitCode
from console.output import Format, show
from console.progress import Stderr

if TYPE_CHECKING:
    from audit.checker import Promises
    from audit.violations import Violation
    from console.recordings.judging import Judge
    from console.settings.model import Settings


def check(
    context: typer.Context,
    files: Recordings = None,
    *,
    group: OneGroup = None,
    servers: Servers = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Check recorded topics with an auditor that shares no code with the controller.

    It needs what was heard (members, heartbeats, releases, commands, routes) and what was published
    (assignments; groups and history, if they are there), as `trimtab replay` reads them, in any
    order and any number of files. It looks for queues that two members may have worked on (I1),
    tokens and epochs that go back (I3, I4), members evicted too early (I6), queues outside a
    subscription (I10), assignments that say nothing new (I14), and summaries that count what nobody
    was told (I18). What was not judged for want of records is said on stderr, and to programs as
    `not_examined`; also if brokers' clocks alone order releases (I1). Exit code 3 when it finds
    any, 4 with nothing to judge.

    Examples:
      trimtab check recorded/*.jsonl
      trimtab check everything.jsonl --group billing
      trimtab check --bootstrap-servers kafka-1:9092 -o json
    """
    from console.recordings.judging import TOPICS, Judge
    from console.recordings.lines import Cut
    from console.recordings.reading import Wanted
    from console.recordings.remarks import Remarks
    from console.recordings.source import lines

    settings = settings_of(config, key_values).settings
    progress, prefix = call_of(context).progress, settings.topics.prefix
    judge = Judge(prefix, _promises(settings))
    wanted = Wanted([f"{prefix}{name}" for name in TOPICS], group)
    remarks = Remarks(settings.topics, group)
    read = remarks.kept(lines(settings, files or (), servers, wanted, progress), wanted.topics)
    rows = [line for line in read if not isinstance(line, Cut)]
    violations = list(judge.judge(rows, group))
    remarks.hear(rows, judge.groups)
    _note(judge)
    remarks.tell(progress)
    _show(judge, violations, group, output)
    if not judge.groups:
        progress.note("nothing was judged: no record of any group could be read")
    if remarks.is_missing or not judge.groups:
        raise typer.Exit(ExitCode.NOT_FOUND)
    if violations:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _promises(settings: "Settings") -> "Promises":
    from audit.checker import Promises
    from audit.silence import Blast

    policy = settings.policy.policy(settings.controller.max_clock_step)
    blast = Blast(policy.blast_members, policy.blast_percent, policy.blast_hold_ms)
    return Promises(max_clock_step_ms=policy.max_clock_step_ms, blast=blast)


def _note(judge: "Judge") -> None:
    """Say what was left out; also to who wants quiet, as `doctor` does."""
    if judge.unreadable:
        from console.views.sentences import several

        Stderr().note(f"not judged: {several(judge.unreadable)}")
    for each in judge.not_examined:
        Stderr().note(f"not examined: {each}")


def _show(
    judge: "Judge", violations: "Sequence[Violation]", group: str | None, output: Format
) -> None:
    found = f"{len(violations) or 'no'} violations{'' if group is None else f' of {group}'}"
    if judge.not_examined:
        found += " in what could be examined"
    sums = f"{judge.shown} records of {len(judge.groups)} groups, {found}"
    result = {
        "records": judge.shown,
        "groups": len(judge.groups),
        "violations": [
            {
                "invariant": str(it.invariant),
                "group": it.group,
                "subject": it.subject,
                "detail": it.detail,
                "places": [str(place) for place in it.records],
            }
            for it in violations
        ],
        "not_judged": [str(it) for it in judge.unreadable],
        "not_examined": judge.not_examined,
    }
    lines = [*map(str, violations), sums]
    show(result, output, "\n".join(map(visible, lines)))  # of strangers' names
