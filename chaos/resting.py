"""Who rests: members that came and went too often get no queues for a while, as documented.

Faults make some of them do so, and a round does not wait until that is over. Whether one rests the
controller says, in its summary of the group. Used by `on_kafka` and `on_rocketmq`.
"""

from collections.abc import Collection
from dataclasses import dataclass

from chaos.history import Recorder
from chaos.installation import Installation
from console.errors import Failure
from console.published import Published
from console.settings import Settings
from console.settings.sections import KafkaSettings
from console.settings.topics import TopicSettings


@dataclass(frozen=True)
class Resting:
    """Those of one group."""

    installation: Installation
    group: str
    record: Recorder

    def excuses(self, idle: Collection[str]) -> bool:
        """Whether all that have no work rest; then that is written down."""
        if not idle:
            return True
        try:
            resting = self._names()
        except Failure:  # its broker has just come back
            return False
        if not resting.issuperset(idle):
            return False
        for name in idle:
            self.record.add("resting", name)
        return True

    def _names(self) -> set[str]:
        """All words of what the controller calls them: RocketMQ's are `chaos@m1`, or more."""
        broker, controller = self.installation
        settings = Settings(
            kafka=KafkaSettings(bootstrap_servers=broker.servers),
            topics=TopicSettings(prefix=controller.prefix),
        )
        summaries = Published(settings).groups(self.group).values()
        return {
            word
            for each in summaries
            for it in each.people
            if it.resting
            for word in it.member.split("@")
        }
