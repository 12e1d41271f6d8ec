"""The checks of commits: what is committed never goes back, nor past what had no effect yet.

They read what Kafka's own log of commits says (`commits`), or RocketMQ's brokers. What a freeze had
held up, or a line, may set a commit of Kafka's back: that is found here, and counted. Pure; used by
`checks`, `work_in_hand` and the report.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from chaos.faults import Kind
from chaos.history import Event, History, S, name_of

STAMPS_NS: Final = S // 20
"""Kafka stamps commits in milliseconds of another clock, which may be adjusted meanwhile."""
AT_ONCE_NS: Final = S // 4
"""By so much two messages of one process to a broker overtake each other on a busy machine: of
RocketMQ's client one thread tells the broker with its pulls, another one now and then. 53 ms were
seen, where its twenty threads for messages began at the same time."""
LATE_COMMIT_S: Final = 5.0
"""What a frozen broker or a line that was held up had before arrives this long after it at the
latest: a commit has two seconds."""
WOKEN_S: Final = 0.25
"""What a process had begun to send when it was frozen leaves it this long after it wakes."""
NOTHING: Final = -1
"""What is committed of a queue when its commit is deleted."""
_UNTOLD: Final = -1
"""The token of a commit that says none."""


def commits_go_back(history: History) -> Iterator[str]:
    """Committed offsets, and their tokens, never decrease; what was on its way in a freeze may."""
    on_its_way = _on_their_way(history)
    for before, after in _set_back(history):
        if after not in on_its_way:
            was = f"{before.offset} ({before.token})"
            yield f"queue {after.queue}: after {was} {after.offset} ({after.token}) is committed"


def brokers_go_back(history: History) -> Iterator[str]:
    """The same of RocketMQ's brokers; one that comes back may have forgotten the last seconds.

    A consumer tells its broker by two threads, so what was committed a moment ago may come again.
    And it may have begun to send when it was frozen: a broker refuses nobody.
    """
    told = defaultdict[int, list[Event]](list)
    begun = _Begun(history)
    for event in history:
        those = told[event.queue]
        if event.kind == "back":
            those.clear()
        elif event.kind == "committed":
            while len(those) > 1 and those[1].at < event.at - AT_ONCE_NS:
                del those[0]
            is_long_ago = bool(those) and those[0].at < event.at - AT_ONCE_NS
            if is_long_ago and event.offset < those[0].offset:
                if begun.has(event):
                    those.clear()  # should its owner die now, the heir begins there
                else:
                    was = those[-1].offset
                    yield f"queue {event.queue}: after {was} {event.offset} is committed"
            those.append(event)


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


def excused(history: History) -> int:
    """Count commits that were set back by what a freeze had held up, as documented."""
    return len(_on_their_way(history))


def _set_back(history: History) -> Iterator[tuple[Event, Event]]:
    """Commits that are lower than one before them, or under a lower token."""
    furthest, youngest = dict[int, Event](), dict[int, Event]()
    for event in history:
        if event.kind == "committed":
            before = furthest.get(event.queue, event)
            under = youngest.get(event.queue, event)
            if event.offset < before.offset:
                yield before, event
            elif event.token < under.token:
                yield under, event
            furthest[event.queue] = max(before, event, key=lambda it: it.offset)
            youngest[event.queue] = max(under, event, key=lambda it: it.token)


def _on_their_way(history: History) -> set[Event]:
    """Commits that are set back, and that a freeze may have held up."""
    begun = _Begun(history)
    return {
        commit
        for _, commit in _set_back(history)
        if commit.offset != NOTHING  # nobody sends that
        and (_was_held_up(history, commit, _lives(history, commit)) or begun.has(commit))
    }


def _lives(history: History, commit: Event) -> set[str]:
    """Who may have made a commit. Kafka is told the token; RocketMQ's brokers are not."""
    return {
        it.who
        for it in history
        if (it.kind, it.queue) == ("began", commit.queue) and commit.token in {it.token, _UNTOLD}
    }


def _was_held_up(history: History, commit: Event, lives: set[str]) -> bool:
    """Whether the broker, or the line of who made it, was held up until a moment ago.

    A broker that restarts holds nothing up: what it had not read is gone with its connections.
    """
    held_up = {str(Kind.BROKER_FROZEN), *(f"{Kind.HELD_UP} {name_of(who)}" for who in lives)}
    return any(
        it.kind == "cured"
        and it.said in held_up
        and it.at - STAMPS_NS <= commit.at <= it.at + LATE_COMMIT_S * S
        for it in history
    )


class _Begun:
    """What a process had begun to send when it was frozen.

    That is one write in a round: a process looks and sends within a millisecond, so a freeze
    hardly ever falls between both, and a process that commits when it wakes does so each time.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._found: tuple[set[str], int] | None = None
        """Who may have made the write, and when."""

    def has(self, commit: Event) -> bool:
        """Whether a commit is of it. They are asked for in order."""
        lives = _lives(self._history, commit)
        makers = {who for who in lives if self._may_have_begun(commit, who)}
        if makers and self._found is None:
            self._found = makers, commit.at
        if self._found is None:
            return False
        those, at = self._found
        return bool(makers & those) and commit.at - at <= STAMPS_NS

    def _may_have_begun(self, commit: Event, who: str) -> bool:
        """Whether it may have been sent as this life froze, of what it had been handed by then."""
        mine = [it for it in self._history if it.who == who]
        for thaw in mine:
            if thaw.kind in {"resumed", "paused"} and thaw.at <= commit.at <= thaw.at + WOKEN_S * S:
                handed = (
                    it.offset + 1
                    for it in mine
                    if (it.kind, it.queue) == ("handed", commit.queue)
                    and commit.token in {it.token, _UNTOLD}
                    and it.at < thaw.at
                )
                return commit.offset <= max(handed, default=commit.offset)
        return False
