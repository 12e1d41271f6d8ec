"""The examination: reads what the doctor's rules look at, and asks Kafka what is not published.

Each rule is in ``console.views``. What may be seen half, because topics are read one after the
other, is read again a moment later and counts if it is still so.

Called by `trimtab doctor`. Its one rule: what could not be looked at is said, and is no finding.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from typing import Final

from console.errors import Away, Failure, Leaderless
from console.group_moves import is_on_kafkas_side
from console.lags import Lag, lags
from console.names import the_group
from console.published import Published, left_out
from console.pulse import felt
from console.subscribers import Subscribers, asking
from console.unattached import unattached
from console.views import backlogs, coverage, findings, incidents, queues, ticks
from console.views.findings import Finding
from console.views.sentences import several
from trimtab.protocol import Assignment, Group

_HOUR_MS: Final = 60 * 60 * 1000
"""How far back the history and the dead letters are looked at."""
_SETTLED_S: Final = 1.0
"""Longer than a batch: by then a hand-over that was seen half is whole."""
_JOINED_S: Final = 3.0
"""A broker lists a client before it is a member: a new process joins in a second or two."""

Note = Callable[[str], object]
Told = dict[str, list[Assignment]]


def examined(published: Published, name: str | None, now_ms: int, note: Note) -> list[Finding]:
    """Return what is wrong with a group and the controller, or with everything.

    Raises:
        Failure: There is no such group, Kafka does not answer, or summaries or assignments may not
        be read: without them hardly anything can be found.
    """
    with asking(published.settings) as subscribers:
        groups = _groups(published, name)
        told = _told(published, name)
        found = _readable(note, "ticks", lambda: _of_controller(published, now_ms))
        for group in groups.values():
            found += findings.of_group(group, now_ms)
        found += _readable(note, "joins", lambda: _of_joins(published, groups.values()))
        found += _settled(published, name, groups, told)
        found += _foreign(published, subscribers, groups, told, note)
    found += _unattached(published, name, told, note)
    found += _readable(
        note,
        "entries of the history",
        lambda: _of_history(published, name, groups, now_ms - _HOUR_MS),
    )
    if name is not None:
        found += _backlogs(published, groups[name], told.get(name, []), note)
    else:
        found += _readable(note, "verdicts", lambda: _of_verdicts(published, now_ms))
        found += _readable(note, "dead letters", lambda: _of_letters(published, now_ms - _HOUR_MS))
    if (missing := left_out(published)) is not None:
        note(missing.text)
    return list(dict.fromkeys(found))


def _readable(note: Note, what: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Look at one source; who may not read it, or not now, still learns what the others show."""
    try:
        return list(look())
    except Failure as error:
        if isinstance(error, Away) and not isinstance(error, Leaderless):
            raise
        note(f"{what} were not looked at: {error}")
        return []


def _of_controller(published: Published, now_ms: int) -> Iterable[Finding]:
    last, silent, _ = felt(published, now_ms)
    return ticks.of_ticks(last, silent, now_ms)


def _of_joins(published: Published, groups: Iterable[Group]) -> Iterator[Finding]:
    differing = [it for it in groups if it.subscriptions]
    joins = published.joins(it.group for it in differing)
    for group in differing:
        yield from findings.of_subscriptions(group, joins[group.group])


def _of_history(
    published: Published, name: str | None, groups: Collection[str], since_ms: int
) -> Iterable[Finding]:
    return incidents.of_history((it.entry for it in published.history(name, since_ms)), groups)


def _of_verdicts(published: Published, now_ms: int) -> Iterable[Finding]:
    return findings.of_brokers(published.verdicts().values(), now_ms)


def _of_letters(published: Published, since_ms: int) -> Iterable[Finding]:
    return incidents.of_letters(it.letter for it in published.letters(since_ms))


def _groups(published: Published, name: str | None) -> dict[str, Group]:
    return published.groups() if name is None else {name: the_group(published, name)}


def _told(published: Published, name: str | None) -> Told:
    entries = published.assignments(name).items()
    by_group = groupby(entries, key=lambda entry: entry[0].group)
    return {group: [record for _, record in records] for group, records in by_group}


def _settled(
    published: Published, name: str | None, groups: dict[str, Group], told: Told
) -> list[Finding]:
    """Return what does not fit together, and still does not a moment later."""
    first = list(_unfitting(groups, told))
    if not first:
        return []
    time.sleep(_SETTLED_S)
    again = set(_unfitting(_groups(published, name), _told(published, name)))
    return [it for it in first if it in again]


def _unfitting(groups: dict[str, Group], told: Told) -> Iterator[Finding]:
    for name, assignments in told.items():
        yield from coverage.overlaps(name, assignments)
    for name, group in groups.items():
        yield from coverage.gaps(group, told.get(name, []))


def _foreign(
    published: Published,
    subscribers: Subscribers,
    groups: dict[str, Group],
    told: Told,
    note: Note,
) -> Iterator[Finding]:
    """Say who reads beside members that own their queues; others have no offsets in common.

    In the first step of a live move they read for the members, which wait.
    """
    owning = [name for name in groups if any(it.mode is None for it in told.get(name, ()))]
    if not owning:
        return
    try:
        for name, them in subscribers.of(owning).items():
            waits = them.movable and is_on_kafkas_side(published.settings, name)
            say = findings.of_movers if waits else findings.of_subscribers
            yield from say(name, them.foreign)
    except Failure as error:
        note(f"foreign members of {several(owning)} were not looked for: {error}")


def _unattached(published: Published, name: str | None, told: Told, note: Note) -> list[Finding]:
    """Say who works by RocketMQ's own rule beside members, and still does a moment later."""
    try:
        first = unattached(published.settings, told)
        if not first:
            return []
        time.sleep(_JOINED_S)
        again = unattached(published.settings, _told(published, name))
    except Failure as error:
        note(f"consumers of RocketMQ that are not attached were not looked for: {error}")
        return []
    return [
        it
        for group, clients in first.items()
        for it in findings.of_unattached(group, sorted(clients & again.get(group, frozenset())))
    ]


def _backlogs(
    published: Published, group: Group, assignments: list[Assignment], note: Note
) -> Iterator[Finding]:
    """Say which queues fall behind; a second look only where messages wait."""
    rows = queues.rows(group, assignments)
    places = sorted({place for it in rows if (place := backlogs.place(it))[1] >= 0})

    def measured(note: Note) -> tuple[dict[tuple[str, int], Lag], float]:
        return lags(published.settings, group.group, places, note), time.monotonic()

    try:
        before, began = measured(note)
        yield from backlogs.orphans(group.group, rows, before)
        if any(it.lag for it in before.values()):
            time.sleep(backlogs.LOOK_S)
            now, ended = measured(lambda _: None)
            yield from backlogs.late(group.group, rows, before, now, ended - began)
    except Failure as error:
        note(f"lags were not looked at: {error}")
