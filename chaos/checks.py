"""The checks: what a history must not show, whatever was done to it.

Each takes a history and returns what is wrong, one line each. `tests/unit/chaos` shows each of them
a bad history. Pure; used by the round and by the test.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Final

from chaos.faults import Kind
from chaos.history import Event, History, S, name_of
from chaos.ownership import (
    Tenure,
    has_just_heard,
    is_of_a_twin,
    obeyed,
    replaceable,
    suspensions,
    tenures,
    unowned,
)

REST_S: Final = 60.0
"""From the end of the faults until everything is seen, committed and owned evenly enough: a session
(10 s), a controller that starts (30 s on busy cores), and one heartbeat each for what follows."""
STAMPS_NS: Final = S // 20
"""Kafka stamps commits in milliseconds of another clock, which may be adjusted meanwhile."""
LATE_COMMIT_S: Final = 5.0
"""What a frozen broker or a line that was held up had before arrives this long after it at the
latest: a commit has two seconds."""
WOKEN_S: Final = 0.25
"""What a process had begun to send when it was frozen leaves it this long after it wakes."""


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


def effects_go_back(history: History) -> Iterator[str]:
    """Tokens never go back in effects."""
    highest: dict[int, int] = {}
    for event in history:
        if event.kind == "effect":
            if event.token < highest.get(event.queue, -1):
                yield f"queue {event.queue}: {event.who} has an effect under {event.token}, late"
            highest[event.queue] = max(event.token, highest.get(event.queue, -1))


def refused_who_obey(history: History) -> Iterator[str]:
    """No effect of who obeys is refused, unless its queue was lost while it was in hand."""
    excused = replaceable(history)
    excused |= {who for who, those in suspensions(history).items() if those}
    handed: dict[tuple[str, int, int], int] = {}
    lost: dict[tuple[str, int, int], int] = {}
    for event in history:
        if event.kind == "handed":
            handed[event.who, event.queue, event.offset] = event.at
        elif event.kind == "lost":
            lost[event.who, event.queue, event.token] = event.at
        elif event.kind == "refused" and event.who not in excused:
            ended = lost.get((event.who, event.queue, event.token), -1)
            if handed.get((event.who, event.queue, event.offset), event.at) > ended:
                yield f"queue {event.queue}: {event.who} obeys, and is refused under {event.token}"


def worked_without_a_grant(history: History) -> Iterator[str]:
    """A message is handed out under a grant that its life has, and has not given up."""
    granted: set[tuple[str, int, int]] = set()
    given: set[tuple[str, int, int]] = set()
    for event in history:
        grant = (event.who, event.queue, event.token)
        if event.kind == "began":
            granted.add(grant)
        elif event.kind == "gave":
            given.add(grant)
        elif event.kind == "handed" and (grant not in granted or grant in given):
            had = "has given it up" if grant in given else "never had it"
            yield f"queue {event.queue}: {event.who} works under {event.token}, and {had}"


def worked_on_others(history: History) -> Iterator[str]:
    """None is handed out when another has begun; who was suspended may have one on its way.

    Nor is one that a twin has replaced held to it, for the moment in which it hears of its twin.
    """
    youngest: dict[int, Event] = {}
    stale = Counter[str]()
    last: dict[str, int] = {}
    doubled = replaceable(history)
    for event in history:
        newer = youngest.get(event.queue)
        if event.kind == "began" and (newer is None or event.token > newer.token):
            youngest[event.queue] = event
        elif event.kind == "handed" and newer is not None and event.token < newer.token:
            if event.who not in doubled or not is_of_a_twin(newer, event):
                stale[event.who] += last.get(event.who) != event.at  # a batch counts once
            last[event.who] = event.at
    gone = suspensions(history)
    for who, times in stale.items():
        if times > (suspended := len(gone.get(who, ()))):
            yield f"{who} takes what others own {times} times, and was suspended {suspended} times"


def commits_go_back(history: History) -> Iterator[str]:
    """Committed offsets, and their tokens, never decrease; what was on its way in a freeze may."""
    on_its_way = _on_their_way(history)
    for before, after in _set_back(history):
        if after not in on_its_way:
            was = f"{before.offset} ({before.token})"
            yield f"queue {after.queue}: after {was} {after.offset} ({after.token}) is committed"


def committed_before_its_effect(history: History) -> Iterator[str]:
    """A commit passes no message that had no effect yet: if its owner died, it would be lost."""
    done = {event.number: event.at for event in reversed(history) if event.kind == "effect"}
    there = defaultdict[int, dict[int, int]](dict)
    for event in history:
        if event.kind == "acked":
            there[event.queue][event.offset] = event.number
    reached = Counter[int]()
    for event in history:
        if event.kind == "committed":
            for offset in range(reached[event.queue], event.offset):
                number = there[event.queue].get(offset)
                if number is not None and done.get(number, event.at) - event.at > STAMPS_NS:
                    early = f"{(done[number] - event.at) / S:.3f} s before its effect"
                    yield f"queue {event.queue}: {offset} is committed {early}"
            reached[event.queue] = max(reached[event.queue], event.offset)


def late_rest(history: History) -> Iterator[str]:
    """Everything rests within its time after the faults are over."""
    healed = [event.at for event in history if event.kind == "healed"]
    rested = [event.at for event in history if event.kind == "rested"]
    if not rested:
        yield f"it does not rest: the queues {unowned(history)} have no owner"
    elif (rested[0] - healed[0]) / S > REST_S:
        yield f"it rests after {(rested[0] - healed[0]) / S:.1f} s"


def deaths(history: History) -> Iterator[str]:
    """No member dies by itself but one that a twin has replaced."""
    doubled = replaceable(history)
    for event in history:
        if event.kind == "died" and event.who not in doubled:
            yield f"{event.who} died by itself: {event.said}"


def repeats(history: History) -> Iterator[str]:
    """A life is handed no message twice under one token."""
    seen: set[tuple[str, int, int, int]] = set()
    for event in history:
        if event.kind == "handed":
            message = (event.who, event.queue, event.token, event.offset)
            if message in seen:
                yield f"queue {event.queue}: {event.who} is handed {event.offset} again"
            seen.add(message)


Checks = Mapping[str, Callable[[History], Iterator[str]]]

CHECKS: Final[Checks] = {
    "no acknowledged message is unseen": unseen,
    "no two owners at a time": two_owners,
    "one life a token, and tokens grow": one_life_a_token,
    "tokens never go back in effects": effects_go_back,
    "nobody who obeys is refused": refused_who_obey,
    "nobody works without a grant": worked_without_a_grant,
    "nobody works on what others own": worked_on_others,
    "committed offsets never decrease": commits_go_back,
    "nothing is committed before its effect": committed_before_its_effect,
    "all rests in time": late_rest,
    "no member dies by itself": deaths,
    "no message twice under one token": repeats,
}


def violations(history: History, checks: Checks = CHECKS) -> dict[str, list[str]]:
    """Apply all checks; name those that fail, and what they found."""
    found = {name: list(check(history)) for name, check in checks.items()}
    return {name: those for name, those in found.items() if those}


def excused(history: History) -> int:
    """Count commits that were set back by what a freeze had held up, as documented."""
    return len(_on_their_way(history))


def _successions(history: History) -> Iterator[tuple[Tenure, Tenure]]:
    """Each owner of a queue and the next one."""
    every = tenures(history)
    for queue in sorted({it.queue for it in every}):
        yield from pairwise(it for it in every if it.queue == queue)


def _set_back(history: History) -> Iterator[tuple[Event, Event]]:
    """Commits that are lower than one before them, or under a lower token."""
    highest: dict[int, Event] = {}
    for event in history:
        if event.kind == "committed":
            before = highest.get(event.queue, event)
            if event.offset < before.offset or event.token < before.token:
                yield before, event
            highest[event.queue] = max(before, event, key=lambda it: it.offset)


def _on_their_way(history: History) -> set[Event]:
    """Commits that are set back, and that a freeze may have held up.

    Of a process that is one write in a round: it looks and sends within a millisecond, so a freeze
    hardly ever falls between both, and a process that commits when it wakes does so each time.
    """
    found = set[Event]()
    woken: tuple[set[str], int] | None = None
    for _, commit in _set_back(history):
        lives = _lives(history, commit)
        if _was_held_up(history, commit, lives):
            found.add(commit)
        elif any(_had_begun(history, commit, who) for who in lives):
            woken = woken or (lives, commit.at)
            if lives & woken[0] and commit.at - woken[1] <= STAMPS_NS:
                found.add(commit)
    return found


def _lives(history: History, commit: Event) -> set[str]:
    """Who may have made a commit."""
    grant = (commit.queue, commit.token)
    return {it.who for it in history if it.kind == "began" and (it.queue, it.token) == grant}


def _was_held_up(history: History, commit: Event, lives: set[str]) -> bool:
    """Whether the broker, or the line of who made it, was held up until a moment ago."""
    lines = {f"{Kind.HELD_UP} {name_of(who)}" for who in lives}
    return any(
        it.kind == "cured"
        and (it.said.startswith("broker") or it.said in lines)
        and it.at <= commit.at <= it.at + LATE_COMMIT_S * S
        for it in history
    )


def _had_begun(history: History, commit: Event, who: str) -> bool:
    """Whether it may have been sent as this life froze, of what it had been handed by then."""
    for thaw in history:
        if (
            thaw.who == who
            and thaw.kind in {"resumed", "paused"}
            and thaw.at <= commit.at <= thaw.at + WOKEN_S * S
        ):
            handed = (
                it.offset + 1
                for it in history
                if it.kind == "handed"
                and (it.who, it.queue, it.token) == (who, commit.queue, commit.token)
                and it.at < thaw.at
            )
            return commit.offset <= max(handed, default=commit.offset)
    return False
