"""The consumers of a group that moves: a `Consumer`, or an `AsyncConsumer`, with both sides.

They are written in place of these for as long as the group may move; the loop stays as it is.
"""

from collections.abc import Sequence

from trimtab.async_consumer import AsyncConsumer
from trimtab.consumer import Consumer
from trimtab.errors import ConfigurationError
from trimtab.moving.reader import MovingReader


class MovingConsumer(Consumer):
    """A `Consumer` that is a member of Kafka's own group as well, and works on either side.

    It takes the same arguments, and the loop is the same. Until the group is wanted on trimtab's
    side (`trimtab groups move`), it works on what Kafka's coordinator assigns it; after that, on
    what trimtab's controller grants it; and so on, as often as the group is moved.
    """

    _READER = MovingReader

    def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Refuse: it keeps the topics that it was made with.

        Raises:
            ConfigurationError: Always.
        """
        del topics, patterns
        raise _fixed()


class AsyncMovingConsumer(AsyncConsumer):
    """The same for an `AsyncConsumer`. Both may be members of one group."""

    _READER = MovingReader

    async def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Refuse, as `MovingConsumer` does.

        Raises:
            ConfigurationError: Always.
        """
        del topics, patterns
        raise _fixed()


def _fixed() -> ConfigurationError:
    return ConfigurationError("subscribe: a MovingConsumer keeps its topics; make another one")
