"""RocketMQ's clusters, each with name servers of its own: which one a topic is of.

A consumer works on one cluster. So a topic has the queues of one: of the first, in the order of the
setting, that has it. It stays that one's as long as that one has it, or does not answer. While one
that comes before does not answer, a topic that is new is unknown, for it may be that one's.

Used by ``sources``. Its one rule: a missing answer is never taken for "no".
"""

from collections.abc import Iterable, Sequence
from typing import Final

from structlog.typing import FilteringBoundLogger

from streaming.feeds.announcements import Seen
from streaming.feeds.name_server import NameServers
from streaming.process.trouble import Trouble

GONE: Final = Seen(None)


class RocketMQClusters:
    """All that the controller was told of.

    Args:
        clusters: Of each the places of its name servers.
        log: Where it is said that one does not answer, or that two have one topic.
    """

    def __init__(
        self, clusters: Iterable[Sequence[tuple[str, int]]], log: FilteringBoundLogger
    ) -> None:
        told = [*clusters]
        self._log = log
        self._clusters: Final = [
            NameServers(places, Trouble(log, _what(places, one_of_many=len(told) > 1)))
            for places in told
        ]
        self._homes: Final = dict[str, int]()
        """Of each topic that was found the cluster."""
        self._doubled: Final = set[str]()
        """The topics of which it was said that several clusters have them."""

    @property
    def exist(self) -> bool:
        """Whether there are any."""
        return bool(self._clusters)

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what topics are like, as far as that is known."""
        asked = sorted(topics)
        answers = [it.look(asked) for it in self._clusters]
        found = {topic: self._judge(topic, [it.get(topic) for it in answers]) for topic in asked}
        return {topic: seen for topic, seen in found.items() if seen is not None}

    def close(self) -> None:
        """Ask no more."""
        for it in self._clusters:
            it.close()

    def _judge(self, topic: str, said: list[Seen | None]) -> Seen | None:
        """Return what is true of a topic, by what each cluster said; None: that is unknown."""
        having = [at for at, it in enumerate(said) if it is not None and it.runs is not None]
        found = self._choose(topic, said, having)
        if None not in said or len(having) > 1:
            self._tell_of_doubles(topic, having)
        return found

    def _choose(self, topic: str, said: list[Seen | None], having: list[int]) -> Seen | None:
        home = self._homes.get(topic)
        if home is not None and (said[home] is None or home in having):
            return said[home]
        self._homes.pop(topic, None)
        for at, it in enumerate(said):
            if it is None:
                return None
            if at in having:
                self._homes[topic] = at
                return it
        return GONE

    def _tell_of_doubles(self, topic: str, having: list[int]) -> None:
        if len(having) <= 1:
            self._doubled.discard(topic)
        elif topic not in self._doubled and topic in self._homes:
            self._doubled.add(topic)
            self._log.warning(
                "a topic is in several clusters of RocketMQ; only the queues of one are shared "
                "out, after a restart those of the first one in routes.name_servers",
                topic=topic,
                counts=self._clusters[self._homes[topic]].place,
                clusters=[self._clusters[at].place for at in having],
            )


def _what(places: Sequence[tuple[str, int]], *, one_of_many: bool) -> str:
    host, port = places[0]
    return "read RocketMQ's routes" + (f" from {host}:{port}" if one_of_many else "")
