"""Work on Kafka: members of the SDK read a topic, and commit what had its effect.

Each round makes a topic of its own; its group is called like it. Given to `round`. Members take
messages in three styles, in turn, and every other one has a guard.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # missing in the stubs
    AdminClient,
    NewTopic,
)

from chaos.commits import Commits
from chaos.faults import Kind
from chaos.fleet import MEMBERS, Command, Fleet
from chaos.history import History, Recorder, read
from chaos.injector import Ways, nothing
from chaos.installation import Installation, Killable
from chaos.lines import Lines
from chaos.ownership import idle, tenures
from chaos.resting import Resting
from chaos.round import QUEUES, RATE, SESSION_S, Round
from chaos.store import Store
from chaos.topics import Topics, insist
from chaos.traffic import Traffic

_STYLES: Final = ("each", "batches", "each", "manual")
"""How the members take messages, in turn."""
_SLOW_S: Final = 5.0


@contextmanager
def on_kafka(
    it: Round, installation: Installation, home: Path, record: Recorder
) -> Iterator["Reading"]:
    """Have members read a topic."""
    broker, controller = installation
    with ExitStack() as stack:
        topic = _topic(it, broker.servers, controller.prefix)
        commits = stack.enter_context(closing(Commits(broker.servers, topic, home)))
        store = stack.enter_context(Store(home))
        command = _command(home, store.port, broker.lines, _member(controller, topic))
        fleet = stack.enter_context(Fleet(home, command, record))
        traffic = Traffic(broker.servers, topic, home, RATE, it.seed)
        traffic.partitions = QUEUES
        stack.enter_context(traffic)
        topics = Topics(broker.servers, traffic, commits)
        further = {Kind.GROW: (topics.grow, nothing), Kind.RETENTION: (topics.forget, nothing)}
        resting = Resting(installation, topic, record)
        yield Reading(fleet, further, home, traffic, store, commits, resting)


@dataclass(frozen=True)
class Reading:
    """Members that read a topic."""

    fleet: Fleet
    further: Mapping[Kind, Ways]
    home: Path
    traffic: Traffic
    store: Store
    commits: Commits
    resting: Resting
    lines: int = MEMBERS

    @property
    def queues(self) -> int:
        """How many partitions there are by now."""
        return self.traffic.partitions

    def owned(self) -> int:
        """How many have an owner."""
        return len({it.queue for it in tenures(read(self.home)) if not it.how})

    def heal(self) -> None:
        """Produce nothing more."""
        self.traffic.stop()

    def rests(self) -> bool:
        """Whether all that was acknowledged is seen and committed, and all queues are owned.

        By all members: one that works no more would be noticed by nobody else.
        """
        try:
            self.commits.catch_up()
        except KafkaException:  # its broker has just come back
            return False
        latest, ends = self.commits.latest, self.traffic.ends
        return (
            self.traffic.acked <= self.store.effects
            and all(latest.get(queue, 0) >= end for queue, end in ends.items())
            and self.owned() == self.queues
            and self.resting.excuses(idle(read(self.home)))
        )

    def conclude(self) -> History:
        """Read the last commits, and then everything."""
        insist(self.commits.catch_up)
        return read(self.home)


def _topic(it: Round, servers: str, prefix: str) -> str:
    """Make a topic that no other round has; its group is called like it."""
    name = f"{prefix}{it.name}-{time.time_ns()}"
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    admin.create_topics([NewTopic(name, QUEUES, 1)])[name].result()
    return name


def _member(controller: Killable, topic: str) -> dict[str, object]:
    """What all members are made with."""
    return {
        "prefix": controller.prefix,
        "group": topic,
        "topics": [topic],
        "session_timeout": SESSION_S,
        "revocation_timeout": "20s",
        "commit_interval": "500ms",
        "kafka": {"log_level": 0},
    }


def _command(home: Path, store: int, lines: Lines, member: Mapping[str, Any]) -> Command:
    """How a member is started."""

    def command(number: int, who: str) -> Sequence[str]:
        style = _STYLES[number % len(_STYLES)]
        options = {
            "bootstrap_servers": lines.servers(number),
            "member_id": f"m{number}",
            "guard": number % 2 == 1,
        }
        if style == "manual":
            options["commit"] = "manual"
        told = {
            "who": who,
            "style": style,
            "slow_s": _SLOW_S,
            "home": str(home),
            "store": store,
            "member": {**member, **options},
        }
        return [sys.executable, "-X", "faulthandler", "-m", "chaos.member", json.dumps(told)]

    return command
