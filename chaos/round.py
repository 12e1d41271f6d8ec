"""A round: members at work, faults, and the rest after them; then the checks.

Each round has a group and a topic of its own, and is drawn from one seed. Used by the command and
by the test in `tests/integration`. Whatever comes, the history has what it did.
"""

import time
from collections.abc import Callable, Collection
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # missing in the stubs
    AdminClient,
    NewTopic,
)

from chaos.checks import REST_S
from chaos.commits import Commits
from chaos.faults import Kind, drawn
from chaos.fleet import MEMBERS, Fleet
from chaos.history import History, Recorder, read
from chaos.installation import Broker, Killable
from chaos.ownership import tenures
from chaos.store import Store
from chaos.striking import Striking
from chaos.traffic import Traffic

QUEUES: Final = 8
RATE: Final = 100
"""Messages in a second: two cores are enough for that, and a moment without an owner shows."""
SESSION_S: Final = 10
_READY_S: Final = 60.0
_LONGEST_REST_S: Final = REST_S + 30.0
"""After which it is of no use to wait: the check fails anyway."""
_LOOK_S: Final = 0.5


@dataclass(frozen=True)
class Round:
    """What is to happen."""

    seed: int
    seconds: float
    kinds: Collection[Kind] = tuple(Kind)

    @property
    def name(self) -> str:
        """Of its group, its topic and its folder."""
        return f"chaos-{self.seed}"


def play(it: Round, broker: Broker, controller: Killable, home: Path) -> History:
    """Play a round, and return what happened; it is in the folder as well."""
    home.mkdir(parents=True, exist_ok=True)
    topic = _topic(it, broker, controller)
    with ExitStack() as stack:
        record = stack.enter_context(closing(Recorder(home / "round.events", "round")))
        commits = stack.enter_context(closing(Commits(broker.servers, topic, home)))
        store = stack.enter_context(Store(home))
        member = _member(controller, topic)
        fleet = stack.enter_context(Fleet(home, store.port, broker.lines, member, record))
        traffic = Traffic(broker.servers, topic, home, RATE, it.seed)
        traffic.partitions = QUEUES
        stack.enter_context(traffic)
        _wait(lambda: _owned(home) == QUEUES, _READY_S, fleet)
        striking = Striking((broker, controller), fleet, traffic, commits, record)
        striking.strike(drawn(it.seed, it.seconds, MEMBERS, it.kinds))
        if not controller.is_running:
            record.add("died", "controller", said="by itself")
            controller.start()
        fleet.complete()
        traffic.stop()
        record.add("healed")
        rests = _wait(lambda: _rests(home, traffic, store, commits), _LONGEST_REST_S, fleet)
        record.add("rested" if rests else "restless", number=traffic.partitions)
        for number in range(MEMBERS):
            fleet.tell_to_leave(number)
        for number in range(MEMBERS):
            fleet.wait_for_end(number)
        commits.catch_up()
    return read(home)


def _topic(it: Round, broker: Broker, controller: Killable) -> str:
    """Make a topic that no other round has; its group is called like it."""
    name = f"{controller.prefix}{it.name}-{time.time_ns()}"
    admin = AdminClient({"bootstrap.servers": broker.servers, "log_level": 0})
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


def _rests(home: Path, traffic: Traffic, store: Store, commits: Commits) -> bool:
    """Whether all that was acknowledged is seen and committed, and each queue has an owner."""
    try:
        commits.catch_up()
    except KafkaException:  # its broker has just come back
        return False
    return (
        traffic.acked <= store.effects
        and all(commits.latest.get(queue, 0) >= end for queue, end in traffic.ends.items())
        and _owned(home) == traffic.partitions
    )


def _owned(home: Path) -> int:
    """How many queues have an owner."""
    return len({it.queue for it in tenures(read(home)) if not it.how})


def _wait(condition: Callable[[], bool], seconds: float, fleet: Fleet) -> bool:
    """Wait until something is true, and say whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        fleet.look()
        time.sleep(_LOOK_S)
    return True
