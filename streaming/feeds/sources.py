"""The sources of routes: who says which queues a topic has, and whose word counts.

The route file comes first, then Kafka, then RocketMQ's name servers. Where there are name servers,
"no such topic" is Kafka's word on what was its own topic: any other that no name server answers for
is unknown, and is left out, so that what was seen last stays true. Where there are none, it may be
that the controller was told of them before; so Kafka's word on a topic that nobody here has seen is
passed on as hearsay. So is every word while a route file is set that was never read: it may name
any topic.

Used by ``routes``. Its one rule: a missing answer is never taken for "no".
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from structlog.typing import FilteringBoundLogger

from streaming.feeds.announcements import Seen
from streaming.feeds.rocketmq_clusters import RocketMQClusters
from streaming.feeds.route_file import RouteFile, UnreadableRoutes
from streaming.options import FeedOptions
from streaming.process.trouble import Trouble


class Topics(Protocol):
    """Kafka's metadata, as far as it is asked here."""

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what topics are like, as far as Kafka answers."""
        ...


class Sources:
    """All that know routes; the caller brings Kafka's metadata."""

    def __init__(self, options: FeedOptions, log: FilteringBoundLogger) -> None:
        self._file_trouble: Final = Trouble(log, "read the route file")
        self._file: Final = RouteFile(options.route_file)
        self._rocketmq: Final = RocketMQClusters(options.name_servers, log)

    @property
    def are_known(self) -> bool:
        """Whether all of them have been read; what has not been has its own line in the log."""
        return not self._file.is_unread

    def look(self, kafka: Topics, topics: set[str], before: Mapping[str, Seen]) -> dict[str, Seen]:
        """Return what topics are like, as far as somebody knows.

        Args:
            kafka: Whom to ask about what the file does not name.
            topics: What is asked about.
            before: What was seen last.
        """
        written = self.written()
        seen = kafka.look(topics - written.keys())
        if self._rocketmq.exist:
            missing = {topic for topic, it in seen.items() if it.runs is None}
            unknown = {it for it in missing if not _is_kafkas(before.get(it))}
            seen = {topic: it for topic, it in seen.items() if topic not in unknown}
            seen |= self._rocketmq.look(missing)
        else:
            seen |= {topic: _doubted(it, before.get(topic)) for topic, it in seen.items()}
        if self._file.is_unread:
            seen = {topic: it._replace(by_hearsay=True) for topic, it in seen.items()}
        return seen | {topic: written[topic] for topic in topics & written.keys()}

    def written(self) -> Mapping[str, Seen]:
        """Return what the file says, or said when it could be read last."""
        try:
            written = self._file.routes()
            self._file_trouble.over()
        except UnreadableRoutes as error:
            self._file_trouble.met(error)
            written = self._file.last
        return written

    def close(self) -> None:
        """Ask no more."""
        self._rocketmq.close()


def _doubted(seen: Seen, before: Seen | None) -> Seen:
    """Return Kafka's word; "no such topic" is hearsay where nobody has seen the topic."""
    is_strange = before is None or before.by_hearsay
    return seen._replace(by_hearsay=True) if seen.runs is None and is_strange else seen


def _is_kafkas(seen: Seen | None) -> bool:
    """Tell whether Kafka had a topic: it alone says which of that name it means."""
    return seen is not None and seen.generation is not None
