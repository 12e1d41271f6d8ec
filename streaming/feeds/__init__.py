"""Feeds: what the driver adds to the log by itself, such as ticks and routes.

Each feed is a thread of the driver that talks only to Kafka: what it has to say goes through the
log, like all other input, and is folded from there. A feed outlives outages of Kafka; one that
fails otherwise stops the controller (``application``), because a controller without ticks would
never notice that a member died.
"""

from streaming.feeds.hosts import HostWatcher
from streaming.feeds.routes import RouteWatcher
from streaming.feeds.status import StatusWriter
from streaming.feeds.supervision import FeedFailed, feeding
from streaming.feeds.ticks import TickProducer

__all__ = ["FeedFailed", "HostWatcher", "RouteWatcher", "StatusWriter", "TickProducer", "feeding"]
