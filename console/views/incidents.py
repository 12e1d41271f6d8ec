"""Incidents: what the history and the dead letters of the last hour show to be wrong.

As in ``findings``, each rule looks at published records alone. Called by `trimtab doctor`, which
reads the records.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from console.views.findings import Finding, Kind
from console.views.sentences import number
from console.views.typed import quoted, typed
from trimtab.protocol import (
    COMMANDS,
    Ailment,
    Claim,
    Conflict,
    DeadLetter,
    Doubled,
    HistoryRecord,
    MemberChanged,
)

RETURNS = 4
"""As often in an hour a member comes back: a rolling restart does it once."""
CONFLICTS = 2
"""So often in an hour a name is taken from a life that was heard a moment ago. Once a process that
was killed and started again does it; twins do it each time that one of them is started again."""


def of_history(entries: Iterable[HistoryRecord], groups: Collection[str] = ()) -> Iterator[Finding]:
    """Say what has gone wrong lately: names used twice, members that come and go, false claims.

    And which clusters' brokers cannot be judged; of ``groups`` their summaries say what fails.
    """
    returns, conflicts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    failures: dict[str, str | None] = {}
    for entry in entries:
        match entry:
            case Ailment():
                failures[entry.subject] = entry.reason
            case MemberChanged(event="joined" | "rejoined"):
                returns[entry.group, entry.member] += 1
            case Conflict() if entry.older == entry.newer:
                conflicts[entry.group, entry.newer] += 1
            case Doubled():
                finding = f"two processes are {entry.member}"
                yield Finding(Kind.TWINS, entry.group, finding, entry.detail)
            case Claim():
                finding = (
                    f"{entry.member} worked on {len(entry.queues)} queues that were not its own"
                )
                yield Finding(Kind.CLAIM, entry.group, finding, "report it, with its log")
            case _:
                pass
    yield from _of_names(conflicts, returns)
    yield from _of_clusters({it: why for it, why in failures.items() if it not in groups})


def _of_clusters(failures: Mapping[str, str | None]) -> Iterator[Finding]:
    """Say whose brokers cannot be judged, unless all works again."""
    for cluster, why in sorted(failures.items()):
        if why:
            remedy = f"`trimtab brokers history --cluster {quoted(cluster)}`"
            yield Finding(Kind.AILMENT, cluster, f"it has a failure: {why}", remedy)


def _of_names(
    conflicts: Counter[tuple[str, str]], returns: Counter[tuple[str, str]]
) -> Iterator[Finding]:
    """Say whose name was taken, and who came, again and again."""
    for (group, member), times in sorted(conflicts.items()):
        if times >= CONFLICTS:
            remedy = "give each process a member_id of its own; if it is only one, see why it dies"
            finding = f"two processes are called {member}: {times} times one replaced another"
            yield Finding(Kind.TWINS, group, finding, remedy)
    for (group, member), times in sorted(returns.items()):
        if times >= RETURNS:
            remedy = f"look at its log; `{typed('groups history', group, options='--since 1h')}`"
            yield Finding(Kind.RETURNING, group, f"{member} came {times} times", remedy)


def of_letters(letters: Iterable[DeadLetter]) -> Iterator[Finding]:
    """Say how many records could not be used, by topic and reason.

    A command that was refused and answered is none of them: its giver was told why.
    """
    count = Counter((it.topic, it.reason) for it in letters if not _is_answered(it))
    for (topic, reason), times in sorted(count.items()):
        remedy = f"`trimtab deadletters list --reason {reason} --since 1h`"
        finding = f"{number(times, 'record')} could not be used: {reason}"
        yield Finding(Kind.DEAD_LETTERS, topic, finding, remedy)


def _is_answered(letter: DeadLetter) -> bool:
    return letter.topic.endswith(COMMANDS.name) and letter.reason == "refused"
