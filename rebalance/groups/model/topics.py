"""The topics: which queues there are.

Written by ``routing``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rebalance.groups.model.extent import Extent
from rebalance.groups.model.overlay import Overlay
from rebalance.groups.model.route import Doubt, Route
from rebalance.ids import TopicName


@dataclass(frozen=True, slots=True)
class Topics:
    """What was observed of the topics that members subscribe, or did until lately."""

    routes: Mapping[TopicName, Route] = field(default_factory=dict)
    """The last route of each that was believed. Invariant: a newer version replaces an older."""
    doubts: Mapping[TopicName, Doubt] = field(default_factory=dict)
    """Routes that would take queues away. Invariant: each of a topic that has a route."""


class TopicsDraft:
    """The topics in the middle of a step."""

    __slots__ = ("before", "doubts", "extent", "recreated", "routes")

    def __init__(self, before: Topics) -> None:
        """Open them."""
        self.before = before
        self.routes: Overlay[TopicName, Route] = Overlay(before.routes)
        self.doubts: Overlay[TopicName, Doubt] = Overlay(before.doubts)
        self.extent: Extent | None = None
        """How much the routes are, once ``routing`` has asked for it."""
        self.recreated: set[TopicName] = set()
        """Topics whose queues are others than before, under the same names."""

    def drop(self) -> None:
        """Forget all topics."""
        self.routes.clear()
        self.doubts.clear()
        self.extent = None

    def closed(self) -> Topics:
        """Return the topics as they are now; the same ones when nothing was written."""
        if not self.routes.written and not self.doubts.written:
            return self.before
        for topic in self.doubts.written:
            doubted, known = self.doubts.get(topic), self.routes.get(topic)
            assert doubted is None or known is not None, f"{topic} is doubted, and has no route"
        return Topics(self.routes.merged(), self.doubts.merged())
