"""Ownership: who had which queue when, and when a member could not know.

A member owns a queue from `on_assigned` to `on_revoked` or `on_lost`, or to the end of its process.
One that is stopped, or that the machine gives no processor, owns nothing meanwhile, nor in the
moment after it in which it finds out. Pure; used by the checks and the drawing.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from chaos.history import Event, History, S, name_of

SUSPENDED_NS: Final = 3 * S // 2
"""A member stops two seconds before others may begin: a fifth of a session of ten. One that is
held up for nearly that long is not one that obeys."""
WAKE_NS: Final = 2 * S
"""In which a process that was suspended, or doubled, hears what has become of it."""


class Span(NamedTuple):
    """From one moment to another."""

    begin: int
    end: int

    def overlap(self, other: "Span") -> int:
        """How long both last; less than nothing if they do not meet."""
        return min(self.end, other.end) - max(self.begin, other.begin)


class Tenure(NamedTuple):
    """A life's time with a queue."""

    queue: int
    token: int
    who: str
    span: Span
    how: str
    """How it ended: the kind of an event, or nothing."""


def tenures(history: History) -> list[Tenure]:
    """Say who had what, in order of the beginnings."""
    begun: dict[tuple[str, int], Event] = {}
    last: dict[str, int] = {}
    found = []
    for event in history:
        if event.kind in _ENDS:
            last_word = event.kind in {"died", "ended"}  # it was over when it had said that
            at = last.get(event.who, event.at) if last_word else event.at
            ended = [key for key, grant in begun.items() if _ends(event, grant)]
            found += [_tenure(begun.pop(key), at, event.kind) for key in ended]
        if event.kind == "began":
            begun[event.who, event.queue] = event
        last[event.who] = event.at
    found += [_tenure(grant, history[-1].at, "") for grant in begun.values()]
    return sorted(found, key=lambda it: (it.span, it.queue))


def unowned(history: History) -> list[int]:
    """Say which queues nobody has when the round waits no longer; all members leave after that."""
    until = waited(history)
    return sorted({*range(until[-1].number)} - {it.queue for it in tenures(until) if not it.how})


def idle(history: History) -> set[str]:
    """Say which members have no queue at the end of a history, and do not rest."""
    return due(history) - {name_of(it.who) for it in tenures(history) if not it.how}


def due(history: History) -> set[str]:
    """Say who is to have a queue: all that were started but those that came and went too often."""
    names = {name_of(it.who) for it in history if it.kind == "started"}
    return names - {it.who for it in history if it.kind == "resting"}


def waited(history: History) -> History:
    """A history until the round waits no longer."""
    (end,) = [place for place, it in enumerate(history) if it.kind in {"rested", "restless"}]
    return history[: end + 1]


_ENDS: Final = {"began", "gave", "lost", "killed", "died", "ended"}


def _ends(event: Event, grant: Event) -> bool:
    """Whether this ends what was granted there."""
    if event.who != grant.who:
        return False
    match event.kind:
        case "began":
            return event.queue == grant.queue
        case "gave" | "lost":
            return (event.queue, event.token) == (grant.queue, grant.token)
        case _:
            return True


def _tenure(grant: Event, end: int, how: str) -> Tenure:
    return Tenure(grant.queue, grant.token, grant.who, Span(grant.at, max(grant.at, end)), how)


def suspensions(history: History) -> dict[str, list[Span]]:
    """Say when each life could do nothing."""
    found = defaultdict[str, list[Span]](list)
    stopped: dict[str, int] = {}
    for event in history:
        match event.kind:
            case "stopped":
                stopped[event.who] = event.at
            case "resumed" | "killed" if event.who in stopped:
                found[event.who].append(Span(stopped.pop(event.who), event.at))
            case "paused":
                found[event.who].append(Span(event.at - event.offset, event.at))
            case _:
                pass
    for who, at in stopped.items():
        found[who].append(Span(at, history[-1].at))
    return {
        who: [it for it in _joined(spans) if it.end - it.begin >= SUSPENDED_NS]
        for who, spans in found.items()
    }


def _joined(spans: list[Span]) -> list[Span]:
    """Make one of those that meet: who wakes from a freeze of the round's notes it as well."""
    found: list[Span] = []
    for it in sorted(spans):
        if found and it.begin <= found[-1].end:
            found[-1] = Span(found[-1].begin, max(found[-1].end, it.end))
        else:
            found.append(it)
    return found


def obeyed(history: History) -> list[Tenure]:
    """Say who had what, without the times in which it could not know."""
    gone, doubled = suspensions(history), replaceable(history)
    return [
        tenure._replace(span=part)
        for tenure in tenures(history)
        for part in _without(_cut(tenure, doubled), gone.get(tenure.who, []))
    ]


def replaceable(history: History) -> dict[str, int]:
    """Say which lives a twin may have replaced, and since when.

    The process that was started first. If it had nothing yet, it may have been so slow to begin its
    life that its twin's is the older one: then it is either of them.
    """
    found, begun, slow = dict[str, int](), set[str](), set[str]()
    for event in history:
        name = name_of(event.who)
        match event.kind:
            case "began":
                begun.add(event.who)
            case "doubled":
                found.setdefault(event.who, event.at)
                slow |= {name} if event.who not in begun else set()
            case "started" if name in slow:
                found[event.who] = event.at
                slow.remove(name)
            case _:
                pass
    return found


def replaced(history: History) -> dict[str, dict[tuple[int, int], int]]:
    """Say which lives a twin may have replaced, and when each heard of which queue and token."""
    found = {who: dict[tuple[int, int], int]() for who in replaceable(history)}
    for event in history:
        if event.kind == "lost" and event.who in found:
            found[event.who][event.queue, event.token] = event.at
    return found


def is_excused(
    begun: Event, later: Event, ends: Mapping[str, Mapping[tuple[int, int], int]]
) -> bool:
    """Whether another life has begun that so lately that one with a twin may not know yet."""
    if later.who not in ends:
        return False
    is_twin = name_of(begun.who) == name_of(later.who)
    heard = later.at if is_twin else ends[later.who].get((later.queue, later.token), inf)
    return max(heard, later.at) - begun.at <= WAKE_NS


def has_just_heard(tenure: Tenure, doubled: Container[str]) -> bool:
    """Whether it is that of a life that read its grant late, and a moment later of its twin."""
    is_short = tenure.span.end - tenure.span.begin <= WAKE_NS
    return is_short and _is_replaced(tenure, doubled)


def _is_replaced(tenure: Tenure, doubled: Container[str]) -> bool:
    """Whether a twin may have ended it."""
    return tenure.who in doubled and tenure.how == "lost"


def _cut(tenure: Tenure, doubled: Container[str]) -> Span:
    """A twin begins on the record that ends its elder, who may read it a moment later."""
    begin, end = tenure.span
    late = WAKE_NS if _is_replaced(tenure, doubled) else 0
    return Span(begin, max(begin, end - late))


def _without(span: Span, gone: list[Span]) -> Iterator[Span]:
    """What is left of a span."""
    begin = span.begin
    for hole in sorted(gone):
        if hole.begin > begin:
            yield Span(begin, min(hole.begin, span.end))
        begin = max(begin, hole.end + WAKE_NS)
    if begin < span.end:
        yield Span(begin, span.end)
