"""Eager work: what may be judged of consumers that carry nothing of ours, by their brokers' hook.

They have no tokens and send no releases, so a queue that moves may have two workers until the
former one has asked its broker (docs/rocketmq.md). So while faults last nobody is held to one owner
or to a token. Pure; used by `on_rocketmq`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from chaos.checks import Checks, deaths, late_rest, unseen
from chaos.commit_checks import AT_ONCE_NS
from chaos.faults import Kind
from chaos.history import Event, History, S, name_of
from chaos.ownership import due, waited

STEADY_S: Final = 5.0
"""Each queue has some sixty messages in that: whoever works on it shows."""
_TELLING: Final = 10
"""What is left of an older time may be fewer."""
BOTH_S: Final = 45.0
"""So long after its last message one may set back what another has committed: a freeze (18 s), the
time until it asks though nobody has told it (20 s), and that until it commits (5 s)."""
_BEGUN_S: Final = 5.0
"""One that begins commits where it begins with its first question, before it has a message."""
NOT_FOR_THEM: Final = frozenset({Kind.TWIN})
"""Two processes with one client id are one client to a broker, and both work on: documented."""


def unsettled(history: History, queues: int) -> Iterator[str]:
    """Say which queues have not one worker each, as far as the last messages tell."""
    workers = _last_workers(history)
    for queue in range(queues):
        those = workers[queue]
        if len(those) != 1 or those.total() < _TELLING:
            yield f"queue {queue}: the last messages went to {dict(those) or 'nobody'}"


def without_work(history: History) -> set[str]:
    """Say which members had none of the last messages, and do not rest."""
    return due(history) - {name_of(who) for each in _last_workers(history).values() for who in each}


def _last_workers(history: History) -> dict[int, Counter[str]]:
    """How many of the last messages of each queue went to whom."""
    until = _last_acked(history)
    workers = defaultdict[int, Counter[str]](Counter)
    for event in history:
        if event.kind == "effect" and until - STEADY_S * S < event.at <= until:
            workers[event.queue][event.who] += 1
    return workers


def is_steady(history: History, queues: int) -> bool:
    """Whether each queue has had one worker for a while, wholly after the faults."""
    (healed,) = [it.at for it in history if it.kind == "healed"]
    return _last_acked(history) - STEADY_S * S > healed and not any(unsettled(history, queues))


def _last_acked(history: History) -> int:
    return max((it.at for it in history if it.kind == "acked"), default=0)


def shared_at_rest(history: History) -> Iterator[str]:
    """At rest each queue has one worker."""
    return unsettled(history, waited(history)[-1].number)


def idle_at_rest(history: History) -> Iterator[str]:
    """At rest everybody works, but who came and went too often."""
    for name in sorted(without_work(history)):
        yield f"{name} had none of the last messages"


def moved_back(history: History) -> Iterator[str]:
    """What is committed goes back only where two have worked, and a broker was not away.

    A broker refuses nobody, so a former owner sets back what the next one has committed: but not
    behind what stood there before both.
    """
    commits = defaultdict[int, list[Event]](list)
    for event in history:
        those = commits[event.queue]
        match event.kind:
            case "back":
                those.clear()  # it may have forgotten the last seconds
            case "committed":
                stood = _stood(those, event, AT_ONCE_NS)
                if event.offset < stood and len(_workers(history, event)) > 1:
                    stood = _stood(those, event, BOTH_S * S)
                if event.offset < stood:
                    yield f"queue {event.queue}: after {stood} {event.offset} is committed"
                those.append(event)
            case _:
                pass


def _stood(commits: list[Event], event: Event, before_ns: float) -> int:
    """What was committed so long before an event; where nothing was, what is now."""
    until = event.at - before_ns
    return next((it.offset for it in reversed(commits) if it.at < until), event.offset)


def _workers(history: History, commit: Event) -> set[str]:
    """Who may have made it."""
    return {
        name_of(it.who)
        for it in history
        if (it.kind, it.queue) == ("handed", commit.queue)
        and -BOTH_S * S < it.at - commit.at < _BEGUN_S * S
    }


EAGER: Final[Checks] = {
    "no acknowledged message is unseen": unseen,
    "one worker a queue at rest": shared_at_rest,
    "committed offsets go back only where two have worked": moved_back,
    "all rests in time": late_rest,
    "nobody is without work at rest": idle_at_rest,
    "no member dies by itself": deaths,
}
"""All the others are of tokens, releases or order, which these consumers do not have."""
