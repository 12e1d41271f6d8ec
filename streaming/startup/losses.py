"""Losses: records that were deleted from the topics before the controller read them.

A controller may be away for longer than a topic's retention, a topic may be deleted and made anew,
and a broker may lose the end of a log. Spark stops at such a gap, again and again, and it does not
notice a topic that was made anew and has grown as long as the old one. So before each start of the
query its positions are compared with what the topics hold. After a loss the state is worth no more
than what is published: the query continues from what is left, with a new checkpoint, by adoption.

Used by ``start`` and by `trimtab recover`. Its one rule: no gap is
skipped without a log line.
"""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import Event
from typing import Any, Final, NamedTuple

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    OffsetSpec,
)

from rebalance.clock import Log
from rebalance.groups.model.route import NO_ID
from streaming.feeds.feed import client_config, logger
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.topics import ROUTINE, URGENT, names
from trimtab.protocol import ROUTES

_NAME: Final = "losses"
_PATIENCE_S: Final = 30.0
"""So long Kafka may take for an answer before it is taken for away."""
_LOOK_S: Final = 0.5
"""How often it looks whether to stop."""
MADE_ANEW: Final = "made anew"


class NotSurveyed(Exception):  # noqa: N818 - it names what happened
    """Kafka did not say what the topics hold."""


class Ends(NamedTuple):
    """What there is of one partition."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What Kafka holds of the topics that the query reads."""

    cluster: str
    topics: Mapping[str, str]
    """The id of each."""
    ends: Mapping[Log, Ends]


def losses(
    positions: Mapping[Log, int], before: Mapping[str, str], contents: Contents
) -> dict[str, int | str]:
    """Say of each topic that lacks something what it lacks.

    Args:
        positions: From where the query is to read on.
        before: The ids of the topics that these positions are of.
        contents: What there is.

    Returns:
        The topics, each with the number of records that are gone, or that it was made anew.
    """
    gone = Counter[str]()
    for place, position in positions.items():
        ends = contents.ends.get(place)
        if ends is not None:
            gone[place[0]] += max(0, ends.first - position, position - ends.end)
    now = contents.topics
    anew = {it: MADE_ANEW for it, was in before.items() if is_other(was, now.get(it))}
    return {topic: count for topic, count in gone.items() if count} | anew


def is_other(was: str | None, now: str | None) -> bool:
    """Tell whether a topic has another id than it had; one that Kafka cannot tell is none."""
    return was != now and NO_ID not in {was, now}


def unread(positions: Mapping[Log, int], contents: Contents, prefix: str) -> int:
    """Count the urgent records that are still to be read: a batch takes them all.

    On ``routes`` is what earlier starts were told, as often as they failed. That does not count:
    its beginning is in the first batch in any case, and then nothing is decided (``gate``).

    Args:
        positions: From where the query is to read on.
        contents: What there is.
        prefix: Of the topics.
    """
    counted = {*names(prefix, URGENT)} - {*names(prefix, (ROUTES,))}
    last = {place: ends.end for place, ends in contents.ends.items() if place[0] in counted}
    return sum(max(0, end - positions.get(place, 0)) for place, end in last.items())


def looking_trouble() -> Trouble:
    """Return the ``Trouble`` of looking: one for all tries, so that a failure is logged once."""
    return Trouble(logger(_NAME), "read topic offsets")


def survey(options: Options, trouble: Trouble, stop: Event | None = None) -> Contents:
    """Ask Kafka what it holds; by a new client, since an old one may not know who leads now.

    Args:
        options: Where Kafka is.
        trouble: Who hears when it loses its brokers.
        stop: Set when nobody should wait any more.

    Raises:
        NotSurveyed: It does not say, or not before it was told to stop.
    """
    stop = stop or Event()
    topics = names(options.topics.prefix, (*URGENT, *ROUTINE))
    try:
        admin = AdminClient(client_config(options, _NAME, trouble))
        asked = admin.describe_topics(TopicCollection(topics), request_timeout=_PATIENCE_S)
        found = _answered(asked, stop)
        cluster = str(admin.list_topics(timeout=_PATIENCE_S).cluster_id)
        places = [
            TopicPartition(name, partition.id)
            for name, topic in found.items()
            for partition in topic.partitions
        ]
        firsts = _offsets(admin, places, OffsetSpec.earliest(), stop)  # type: ignore[no-untyped-call]  # stubs
        ends = _offsets(admin, places, OffsetSpec.latest(), stop)  # type: ignore[no-untyped-call]  # stubs
    except KafkaException as error:
        raise NotSurveyed(f"could not read topic offsets: {error}") from error
    trouble.over()
    ids = {name: str(topic.topic_id) for name, topic in found.items()}
    return Contents(cluster, ids, {it: Ends(first, ends[it]) for it, first in firsts.items()})


def _answered(asked: Mapping[Any, Future[Any]], stop: Event) -> dict[Any, Any]:
    """Wait for all answers, however long Kafka takes, unless told to stop."""
    while wait(asked.values(), _LOOK_S).not_done:
        if stop.is_set():
            raise NotSurveyed("could not read topic offsets: told to stop")
    return {key: answer.result() for key, answer in asked.items()}


def _offsets(
    admin: AdminClient,
    places: list[TopicPartition],
    spec: Any,  # noqa: ANN401 - untyped there
    stop: Event,
) -> dict[Log, int]:
    """Ask for the offsets of all of these at once."""
    asked = admin.list_offsets(dict.fromkeys(places, spec), request_timeout=_PATIENCE_S)
    found = {(it.topic, it.partition): said.offset for it, said in _answered(asked, stop).items()}
    if min(found.values(), default=0) < 0:  # so it looks when time was up
        raise NotSurveyed("could not read topic offsets: Kafka does not answer")
    return found
