"""The checks: what a history must not show, whatever was done to it.

Each takes a history and returns what is wrong, one line each. `tests/unit/chaos` shows each of them
a bad history. Pure; used by the round and by the test.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, pairwise
from math import inf
from typing import Final

from chaos.commit_checks import commits_go_back, committed_before_its_effect
from chaos.history import Event, History, S
from chaos.ownership import (
    WAKE_NS,
    Span,
    Tenure,
    has_just_heard,
    idle,
    is_excused,
    obeyed,
    replaceable,
    replaced,
    suspensions,
    tenures,
    unowned,
    waited,
)

REST_S: Final = 60.0
"""From the end of the faults until everything is seen and committed, and everybody has a queue: a
session (10 s), a controller that starts (30 s on busy cores), and one heartbeat each for what
follows."""

_TOLD_NS: Final = 5 * S
"""What is lost while it is given up is told when that is over: two questions to Kafka later."""


def unseen(history: History) -> Iterator[str]:
    """No message that Kafka has acknowledged is without an effect."""
    effects = {event.number for event in history if event.kind == "effect"}
    for event in history:
        if event.kind == "acked" and event.number not in effects:
            yield f"message {event.number} (queue {event.queue}, offset {event.offset}): no effect"


def two_owners(history: History) -> Iterator[str]:
    """No queue has two owners at a time, as long as they obey."""
    by_queue = defaultdict[int, list[Tenure]](list)
    for tenure in obeyed(history):
        by_queue[tenure.queue].append(tenure)
    for queue, those in sorted(by_queue.items()):
        for one, other in combinations(those, 2):
            both = one.span.overlap(other.span)
            if one.who != other.who and both > 0:
                names = f"{one.who} ({one.token}) and {other.who} ({other.token})"
                yield f"queue {queue}: {names} both own it for {both / 1e6:.3f} ms"


def one_life_a_token(history: History) -> Iterator[str]:
    """No two lives are granted one queue under one token, and tokens grow from owner to owner."""
    first: dict[tuple[int, int], str] = {}
    for event in history:
        if event.kind == "began":
            who = first.setdefault((event.queue, event.token), event.who)
            if who != event.who:
                yield f"queue {event.queue}: {who} and {event.who} have the token {event.token}"
    doubled = replaceable(history)
    for before, after in _successions(history):
        if after.token <= before.token and not has_just_heard(after, doubled):
            names = f"{before.who} ({before.token}) and then {after.who} ({after.token})"
            yield f"queue {after.queue}: {names}: the token does not grow"


def tried_a_lower_token(history: History) -> Iterator[str]:
    """Nobody who obeys tries an effect under a lower token than the highest so far.

    The store refuses it, whoever tries; a member looks whose the queue is just before. So none may
    come but, as it wakes, of who could do nothing for a while, and of who has a twin.
    """
    excused, gone = replaceable(history), suspensions(history)
    highest = defaultdict[int, int](int)
    for event in history:
        if event.kind in {"effect", "refused"}:
            has_twin = event.at >= excused.get(event.who, inf)
            is_late = event.kind == "refused" or event.token < highest[event.queue]
            if is_late and not has_twin and not _is_waking(event, gone):
                yield f"queue {event.queue}: {event.who} tries an effect under {event.token}, late"
            highest[event.queue] = max(event.token, highest[event.queue])


def worked_without_a_grant(history: History) -> Iterator[str]:
    """A message is handed out under a grant that its life has, and has neither given up nor lost.

    What is lost is told by another thread than that which hands out, so one may be on its way.
    """
    last: dict[tuple[str, int, int], Event] = {}
    gone = suspensions(history)
    for event in history:
        grant = (event.who, event.queue, event.token)
        before = last.get(grant)
        if event.kind in {"began", "gave", "lost"} and (before is None or before.kind != "gave"):
            last[grant] = event
        elif event.kind == "handed" and (why := _why_not(before, event, gone)):
            yield f"queue {event.queue}: {event.who} works under {event.token}, and {why}"


def gave_what_was_in_hand(history: History) -> Iterator[str]:
    """Nobody gives up a queue while it has a message of it in hand.

    Unless it was lost meanwhile: that is told after it, if the life does not end before it can.
    """
    in_hand = defaultdict[tuple[str, int, int], set[int]](set)
    early: dict[tuple[str, int, int], tuple[Event, int]] = {}
    for event in history:
        grant = (event.who, event.queue, event.token)
        match event.kind:
            case "handed":
                in_hand[grant].add(event.offset)
            case "done":
                in_hand[grant].discard(event.offset)
            case "gave" if in_hand[grant]:
                early[grant] = event, min(in_hand[grant])
            case "lost":
                early.pop(grant, None)
            case "killed" | "died":
                early = {
                    key: those
                    for key, those in early.items()
                    if key[0] != event.who or event.at - those[0].at > _TOLD_NS
                }
            case _:
                pass
    for gave, offset in early.values():
        yield f"queue {gave.queue}: {gave.who} gives up {gave.token} with {offset} in hand"


def worked_on_others(history: History) -> Iterator[str]:
    """None is handed out when another has begun; who was suspended may have one as it wakes.

    Nor is one that a twin has replaced held to it, for the moment in which it hears of its twin:
    whoever comes next begins on the record that ends it (``docs/protocol.md``), as its twin does.
    """
    youngest: dict[int, Event] = {}
    last: dict[str, int] = {}
    ends, unused = replaced(history), suspensions(history)
    for event in history:
        newer = youngest.get(event.queue)
        if event.kind == "began" and (newer is None or event.token > newer.token):
            youngest[event.queue] = event
        elif event.kind == "handed" and newer is not None and event.token < newer.token:
            is_first = last.get(event.who) != event.at  # a batch counts once
            last[event.who] = event.at
            if is_first and not is_excused(newer, event, ends) and not _uses_up(event, unused):
                yield f"queue {event.queue}: {event.who} is handed {event.offset}, {newer.who}'s"


def late_rest(history: History) -> Iterator[str]:
    """Everything rests within its time after the faults are over."""
    healed = [event.at for event in history if event.kind == "healed"]
    rested = [event.at for event in history if event.kind == "rested"]
    if not rested:
        yield f"it does not rest: the queues {unowned(history)} have no owner"
    elif (rested[0] - healed[0]) / S > REST_S:
        yield f"it rests after {(rested[0] - healed[0]) / S:.1f} s"


def idle_at_rest(history: History) -> Iterator[str]:
    """Everybody has a queue when it rests, but who came and went too often."""
    for name in sorted(idle(waited(history))):
        yield f"{name} has no queue"


def deaths(history: History) -> Iterator[str]:
    """No member dies by itself but one that a twin has replaced."""
    doubled = replaceable(history)
    for event in history:
        if event.kind == "died" and event.at < doubled.get(event.who, inf):
            yield f"{event.who} died by itself: {event.said}"


def repeats(history: History) -> Iterator[str]:
    """A life is handed no message twice under one token, unless the queue was away in between.

    RocketMQ's client gives up a queue whose broker is away, without telling it how far it has come:
    `RemoteBrokerOffsetStore.persist` only logs that. It goes on where the broker has it.
    """
    seen: dict[tuple[str, int, int, int], int] = {}
    away, back = set[int](), dict[int, int]()
    for event in history:
        match event.kind:
            case "away":
                away.add(event.queue)
            case "back":
                away.remove(event.queue)
                back[event.queue] = event.at
            case "handed":
                message = (event.who, event.queue, event.token, event.offset)
                before = seen.get(message, event.at)
                was_away = event.queue in away or back.get(event.queue, -1) >= before
                if message in seen and not was_away:
                    yield f"queue {event.queue}: {event.who} is handed {event.offset} again"
                seen[message] = event.at
            case _:
                pass


Checks = Mapping[str, Callable[[History], Iterator[str]]]

CHECKS: Final[Checks] = {
    "no acknowledged message is unseen": unseen,
    "no two owners at a time": two_owners,
    "one life a token, and tokens grow": one_life_a_token,
    "tokens never go back in effects": tried_a_lower_token,
    "nobody works without a grant": worked_without_a_grant,
    "nobody gives up what is in hand": gave_what_was_in_hand,
    "nobody works on what others own": worked_on_others,
    "committed offsets never decrease": commits_go_back,
    "nothing is committed before its effect": committed_before_its_effect,
    "all rests in time": late_rest,
    "nobody is without work at rest": idle_at_rest,
    "no member dies by itself": deaths,
    "no message twice under one token": repeats,
}


def violations(history: History, checks: Checks = CHECKS) -> dict[str, list[str]]:
    """Apply all checks; name those that fail, and what they found."""
    found = {name: list(check(history)) for name, check in checks.items()}
    return {name: those for name, those in found.items() if those}


def _why_not(last: Event | None, event: Event, gone: Mapping[str, list[Span]]) -> str:
    """Why a message may not be handed out under what became last of a grant; or nothing."""
    if last is None:
        return "never had it"
    if last.kind == "gave":
        return "has given it up"
    has_lost = last.kind == "lost" and event.at - last.at > WAKE_NS
    return "has lost it" if has_lost and not _is_waking(event, gone) else ""


def _is_waking(event: Event, gone: Mapping[str, list[Span]]) -> bool:
    """Whether its life could do nothing a moment ago."""
    return any(_wakes(event, it) for it in gone.get(event.who, ()))


def _uses_up(event: Event, gone: Mapping[str, list[Span]]) -> bool:
    """Take the time away in which its life could do nothing a moment ago, if there is one."""
    spans = gone.get(event.who, [])
    span = next((it for it in spans if _wakes(event, it)), None)
    if span is None:
        return False
    spans.remove(span)
    return True


def _wakes(event: Event, span: Span) -> bool:
    return span.begin <= event.at <= span.end + WAKE_NS


def _successions(history: History) -> Iterator[tuple[Tenure, Tenure]]:
    """Each owner of a queue and the next one."""
    every = tenures(history)
    for queue in sorted({it.queue for it in every}):
        yield from pairwise(it for it in every if it.queue == queue)
