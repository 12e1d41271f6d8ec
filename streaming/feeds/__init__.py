"""What the driver adds to the log by itself: ticks, and where topics are.

Each feed is a thread of the driver that talks to Kafka and to nobody else: whatever it has to
say goes through the log, like everybody's word, and is folded from there. A feed outlives
outages of Kafka; one that fails otherwise takes the controller down with it (``application``),
because a controller without ticks would keep the dead alive.
"""

from streaming.feeds.hosts import HostWatcher
from streaming.feeds.routes import RouteWatcher
from streaming.feeds.supervision import FeedFailed, feeding
from streaming.feeds.ticks import TickProducer

__all__ = ["FeedFailed", "HostWatcher", "RouteWatcher", "TickProducer", "feeding"]
