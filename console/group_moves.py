"""Moving a group to one side, live: write the wanted side, wait until all its queues are there.

It is one committed offset (`trimtab.moving.wanted_side`): it goes by no controller. Called by
`trimtab groups move`, and by `trimtab groups sides` and `trimtab doctor`, which only look. Its one
rule: nobody moves to trimtab's side while a consumer that cannot subscribes, for it would work on
queues that others have given to that side. If it has come later, Kafka's side is the cure. Whether
that side takes the queues, ``receiving`` says; and who would not give its own back, ``staying``.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Final, NamedTuple

from confluent_kafka import KafkaException

from console.cluster import bootstrap_servers, is_unsure, native_options, refusal
from console.errors import Away, ExitCode, Failure
from console.operator_commands import MAY_BE, PerhapsGiven
from console.published import at_once
from console.settings import Settings
from console.subscribers import Described, asking
from trimtab.moving.sides import SIDES, Side, read_commit
from trimtab.moving.wanted_side import WantedSide

_LOOK_S: Final = 0.5
_CHOOSE_S: Final = 5.0
"""Kafka has that long at least to say whether it has the choice."""
_GIVEN_S: Final = 5.0
"""An owner on trimtab's side has read the choice by then, and given its queues back; one with a
long message in hand has not. A queue that still says `trimtab:` may have no owner there."""

Place = tuple[str, int]


class Looks(NamedTuple):
    """What looks at the other half; each raises a ``Failure`` where a group is to stay."""

    receive: Callable[[Collection[Place]], object]
    """Before it moves to trimtab's side: at the queues that are still on Kafka's."""
    stay: Callable[[Callable[[], Mapping[str, int]]], object]
    """Before it moves to Kafka's side: at who is not among those that can move."""


class _Overruled(Failure):
    """Another choice stands: what was chosen here is obeyed no more."""


class Choice(NamedTuple):
    """Where a group is to go."""

    group: str
    side: Side
    reason: str
    until: float
    """How long it may take, by the monotonic clock."""


def admitted(settings: Settings, choice: Choice, looks: Looks) -> Side | None:
    """See that a group can go to a side, and return which one was wanted before.

    Raises:
        Failure: It cannot, Kafka does not answer, or it took too long to see.
    """
    group, side = choice.group, choice.side
    with _refusals(group):
        asked = _Asked(settings, group)
        described, before = asked.described(), _chosen(settings, group)
        _look_at_members(choice, described, before)
        if side == "trimtab":
            looks.receive(_on_kafkas_side(asked, choice.until))
        else:
            looks.stay(lambda: asked.described().movable)
    if time.monotonic() > choice.until:
        text = f"{group} stays: it could not be looked at in time, and nothing is chosen"
        raise Failure(text, ExitCode.TIMEOUT)
    return before


def moved(settings: Settings, choice: Choice) -> int | None:
    """Bring a group to a side, wait until it is there, and say how many queues are.

    Kafka's side is chosen whoever is there, also nobody: then there is nothing to wait for, and
    nothing to say.

    Raises:
        Failure: Kafka does not take the choice, or another one was made since.
        PerhapsGiven: It is not there in time, or cannot be looked at; it may be there later.
    """
    group = choice.group
    with _refusals(group):
        _choose(settings, choice)
    try:
        with _refusals(group), closing(_wanted(settings, group)) as wanted:
            return _wait(_Asked(settings, group), choice, wanted)
    except (PerhapsGiven, _Overruled):
        raise
    except Failure as error:  # whatever ends the waiting, the choice is written
        raise PerhapsGiven(str(error), ExitCode.TIMEOUT) from error


def sides(settings: Settings, group: str) -> tuple[Mapping[Side, int], Side | None]:
    """Say how many queues of a group are on each side, and which is wanted, if any.

    Raises:
        Failure: Nothing is committed under its name, or Kafka does not answer.
    """
    with _refusals(group):
        asked = _Asked(settings, group)
        count = _count(asked.described())
        chosen = _chosen(settings, group)
    if not count:
        text = f"group {group} has committed nothing in Kafka, so none of its queues is on any side"
        raise Failure(text, ExitCode.NOT_FOUND)
    return {side: count[side] for side in SIDES}, chosen


def is_on_kafkas_side(settings: Settings, group: str) -> bool:
    """Say whether no queue of a group is on trimtab's side.

    Raises:
        Failure: Kafka does not answer.
    """
    with _refusals(group):
        asked = _Asked(settings, group)
        return not _count(asked.described())["trimtab"]


@contextmanager
def _refusals(group: str) -> Iterator[None]:
    """Say which group it is about."""
    try:
        yield
    except KafkaException as error:
        raise refusal(group, error, ExitCode.UNHEALTHY) from error


def _wanted(settings: Settings, group: str) -> WantedSide:
    servers = bootstrap_servers(settings)
    options = {**native_options(settings), "bootstrap.servers": servers, "log_level": 2}
    return WantedSide(options, group, settings.topics.prefix)


def _chosen(settings: Settings, group: str) -> Side | None:
    with closing(_wanted(settings, group)) as wanted:
        return wanted.read()


def _choose(settings: Settings, choice: Choice) -> None:
    unsure = f"{choice.group}: Kafka has not said whether it has the choice. {MAY_BE}"

    def choose() -> None:
        with closing(_wanted(settings, choice.group)) as wanted:
            wanted.choose(choice.side, choice.reason)

    def late() -> None:
        raise PerhapsGiven(unsure, ExitCode.TIMEOUT)

    try:
        at_once(choose, max(choice.until - time.monotonic(), _CHOOSE_S), late)
    except KafkaException as error:
        if is_unsure(error.args[0]):
            text = f"{refusal(choice.group, error)}. {MAY_BE}"
            raise PerhapsGiven(text, ExitCode.TIMEOUT) from error
        raise


class _Asked:
    """A group about which Kafka is asked, perhaps again and again."""

    def __init__(self, settings: Settings, group: str) -> None:
        self.group, self._settings = group, settings

    def described(self) -> Described:
        """Ask in a process of its own: librdkafka may end the one that asks."""
        try:
            with asking(self._settings) as subscribers:
                return subscribers.committed(self.group)
        except Away as error:
            raise Away(f"{self.group}: {error}") from error
        except Failure as error:
            if error.exit_code is ExitCode.USAGE:  # of the settings, and not about the group
                raise
            raise Failure(f"{self.group}: {error}", ExitCode.UNHEALTHY) from error


def _found(described: Described) -> dict[Place, Side]:
    """Find the side of each queue, as its last commit says: of all of them, if it is steady.

    Kafka keeps for days what was committed of topics that nobody reads any more, so those count
    only if the group has no members, who all are in Kafka's group on either side. What is
    assigned and has no commit is on Kafka's side.
    """
    topics = {topic for topic, _ in described.assigned}
    found: dict[Place, Side] = dict.fromkeys(described.assigned, SIDES[0])
    for topic, partition, offset, said in described.committed:
        if topic in topics or not topics:
            found[topic, partition] = read_commit(offset, said).side
    return found


def _count(described: Described) -> Counter[Side]:
    """Count the queues on each side: all of them, if it is steady."""
    return Counter(_found(described).values())


def _look_at_members(choice: Choice, group: Described, before: Side | None) -> None:
    """Refuse where nobody could move, now or later, or where somebody cannot."""
    name = choice.group
    if choice.side == "trimtab" and group.foreign:
        text = f"{name}: {_named(group.foreign)}; make each a MovingConsumer first"
        raise Failure(text, ExitCode.UNHEALTHY)
    if choice.side == "trimtab" and not group.movable:
        text = f"{name} has no members in Kafka that can move: nobody would"
        raise Failure(text, ExitCode.NOT_FOUND)
    if not group.members and not _found(group) and before is None:
        text = f"group {name} has no members in Kafka, has committed nothing there, and no side"
        raise Failure(f"{text} was ever chosen for it", ExitCode.NOT_FOUND)


def _named(foreign: Sequence[str]) -> str:
    return f"{len(foreign)} of its members in Kafka cannot move: {', '.join(foreign)}"


def _wait(asked: _Asked, choice: Choice, wanted: WantedSide) -> int | None:
    """Look until all is there.

    Who cannot move reads what Kafka has assigned, whatever was committed last; but until its owner
    on trimtab's side gives it back, that one works on it, too.
    """
    side, given_s = choice.side, time.monotonic() + _GIVEN_S
    while True:
        is_given = time.monotonic() >= given_s
        described, chosen = asked.described(), wanted.read()
        kafkas = described.unmovable if side == "kafka" and is_given else frozenset()
        found = _found(described)
        there, total = sum(found[it] == side or it in kafkas for it in found), len(found)
        if chosen != side:
            text = f"{asked.group}: another command has chosen {chosen or 'no side'} since"
            raise _Overruled(text, ExitCode.UNHEALTHY)
        if described.is_steady and total and there == total:
            return total
        if side == "kafka" and not described.members:
            return None
        if side == "kafka" and described.is_steady and not described.movable:
            return total
        if time.monotonic() > choice.until:
            raise PerhapsGiven(_left(choice, described, there), ExitCode.TIMEOUT)
        time.sleep(_LOOK_S)


def _left(choice: Choice, group: Described, there: int) -> str:
    """Say what is not there when the time is up, and what may be the reason."""
    text = f"{choice.group}: {there} of {len(_found(group))} queues are there in time"
    if choice.side == "trimtab" and group.foreign:
        return f"{text}: {_named(group.foreign)}"
    text += "; the others follow when their messages in work are finished"
    return f"{text}{'' if there else ', and if their owners answer'}: `trimtab doctor`"


def _on_kafkas_side(asked: _Asked, deadline: float) -> set[Place]:
    """Return which queues are still there, once Kafka says which there are."""
    while True:
        described = asked.described()
        if described.is_steady:
            return {place for place, side in _found(described).items() if side == "kafka"}
        if time.monotonic() > deadline:
            text = f"{asked.group} stays: Kafka's rebalance of it was not over in time"
            raise Failure(text, ExitCode.TIMEOUT)
        time.sleep(_LOOK_S)
