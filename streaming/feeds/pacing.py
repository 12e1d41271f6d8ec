"""The keeper of the pace: asks groups to beat less often where there are very many members.

It looks once a second at the ``pace_plan``, which the route watcher tells of every group, and
writes a command for each group that is behind. A command is obeyed and answered like a person's, so
that the history says why members were told anew.

Run by ``start`` if ``policy.heartbeat_interval`` is "auto".
"""

import uuid
from threading import Event
from time import monotonic
from typing import Final

from streaming.feeds.clients import FeedProducer
from streaming.feeds.feed import client_config, logger
from streaming.feeds.pace_plan import Asking, PacePlan
from streaming.options import Options
from streaming.process.trouble import Trouble
from trimtab.protocol import COMMANDS, Pace, encode, partition_of

_LOOK_S: Final = 1.0


class PaceKeeper:
    """Keeps the pace until it is told to stop."""

    name = "pace"

    def __init__(self, options: Options, plan: PacePlan) -> None:
        self._options, self._plan = options, plan
        self._log = logger(self.name)
        self._writing = Trouble(self._log, "write paces")

    def run(self, stop: Event) -> None:
        """Look, ask, rest."""
        config = client_config(self._options, self.name, self._writing)
        producer = FeedProducer(config, self._writing)
        interval = self._plan.interval_ms
        while not stop.wait(_LOOK_S):
            due = self._plan.due(monotonic())
            if interval != self._plan.interval_ms:
                interval = self._plan.interval_ms
                reason = self._plan.reason
                self._log.info("heartbeat interval changed", interval_ms=interval, reason=reason)
            for asking in due:
                self._ask(producer, asking)
            producer.poll()
        producer.flush(_LOOK_S)

    def _ask(self, producer: FeedProducer, asking: Asking) -> None:
        command = Pace(
            id=str(uuid.uuid4()),
            principal=self._options.name,
            reason=self._plan.reason,
            interval_ms=asking.interval_ms,
        )
        topics = self._options.topics
        topic = f"{topics.prefix}{COMMANDS.name}"
        partition = partition_of(asking.group, topics.partitions)
        producer.write(topic, encode(command), asking.group.encode(), partition)  # or asked again
