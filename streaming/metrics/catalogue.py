"""The catalogue: every metric that there is.

docs/operate.md lists the same names, and a test compares the two. They follow Prometheus: base
units, ``_total`` for what is counted, no label that grows without end. What one event is alerted on
for begins at 0, and so does what has few labels: nobody sees a rise in a series that begins with
its first event.

Made by ``application``, filled by ``account`` and by the route watcher, read by ``endpoint``.
Whoever writes or reads holds the lock.
"""

from collections.abc import Iterator
from threading import Lock
from typing import Final, get_args

from rebalance.groups.model.decisions import Ending, MemberChange
from streaming.metrics.families import Counter, Family, Gauge, Histogram
from streaming.topics import ROUTINE, URGENT
from trimtab.protocol import HISTORY
from trimtab.protocol.reasons import Reason

BATCH_S: Final = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 120.0)
"""Batches take a fifth of a second, and tens of seconds where thousands join at once."""
MOVE_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""A release is on its way for milliseconds; a holder may take a minute to let go."""

_COUNTED_APART: Final = {"rebalance", "member", "handover"}
"""Kinds of entries of the history with metrics of their own."""


class OfQuery:
    """How the query runs, what it reads and what it writes."""

    def __init__(self) -> None:
        self.batches = Counter("batches_total", "Batches that were committed.")
        self.batch = Gauge("batch_id", "The number of the last committed batch.")
        self.at = Gauge("last_batch_timestamp_seconds", "When the last batch was committed.")
        self.duration = Histogram("batch_duration_seconds", "How long batches took.", BATCH_S)
        self.phases = Counter(
            "batch_phase_seconds_total", "What batches spent their time on.", "phase"
        )
        self.read = Counter(
            "input_records_total",
            "Records that were read, each once: ok, or why it became a dead letter at once.",
            "topic",
            "result",
        )
        self.letters = Counter(
            "dead_letters_total", "Dead letters that were written.", "topic", "reason"
        )
        for topic in (*URGENT, *ROUTINE):
            for reason in get_args(Reason):
                self.letters.add(0, topic.name, reason)
        self.left = Gauge(
            "input_lag_records", "Records that the last batch has left unread.", "topic"
        )
        self.lag = Gauge(
            "input_lag_seconds", "How far the last batch is behind the newest tick in the log."
        )
        self.clock = Gauge(
            "log_clock_timestamp_seconds",
            "The broker's time of the last tick that a committed batch has read.",
            "partition",
        )
        self.written = Counter("output_records_total", "Records that were published.", "topic")


class OfBrain:
    """What was decided."""

    def __init__(self) -> None:
        self.delay = Histogram(
            "assignment_publish_delay_seconds",
            "From the record that caused a rebalance to its commit: the longest of each batch.",
            BATCH_S,
        )
        self.rebalances = Counter(
            "rebalances_total", "New targets that were computed.", "group", "cause"
        )
        self.moves = Counter(
            "queue_moves_total", "Queues whose target owner changed.", "group", "cause"
        )
        self.move_duration = Histogram(
            "move_duration_seconds",
            "From telling a holder to its release: of each hand-over the slowest queue.",
            MOVE_S,
        )
        self.handovers = Counter("handovers_total", "Hand-overs, by how they ended.", "ending")
        self.members = Counter(
            "member_changes_total", "Members that came, went or are going.", "event"
        )
        for ending in Ending:
            self.handovers.add(0, ending)
        for change in MemberChange:
            self.members.add(0, change)
        self.expired = Counter(
            "expired_members_total", "Members that were silent for a session.", "cause"
        )
        self.fenced = Counter(
            "fenced_total", "Members whose grants were taken back, by the cause.", "kind"
        )
        self.notes = Counter("notes_total", "All other entries of the history.", "kind")
        for kind in sorted(HISTORY.kinds.keys() - _COUNTED_APART):
            self.notes.add(0, kind)


class OfGroups:
    """What the groups' last summaries say."""

    def __init__(self) -> None:
        self.groups = Gauge("groups", "Groups by their state.", "state")
        self.ailing = Gauge("ailing_groups", "Groups that could not be decided about.")
        self.unnamed = Gauge(
            "unnamed_starved_groups",
            "Groups that have queues without a worker, and no series in group_queues.",
        )
        self.members = Gauge("group_members", "Members of a group.", "group", "state")
        self.paused = Gauge("group_paused", "1: an operator has paused the group.", "group")
        self.queues = Gauge("group_queues", "Queues of a group.", "group", "state")
        self.epoch = Gauge("group_epoch", "The epoch of a group.", "group")
        self.imbalance = Gauge(
            "imbalance_ratio", "Queues of the most loaded member, divided by the mean.", "group"
        )


class OfBrokers:
    """What was said of brokers since the controller started."""

    def __init__(self) -> None:
        self.available = Gauge(
            "broker_available", "1: the last verdict says that it is fit.", "cluster", "broker"
        )
        self.ejections = Counter(
            "broker_ejections_total", "Brokers that were taken out of use.", "broker", "reason"
        )
        self.panic = Gauge(
            "panic_mode", "1: too many brokers are unfit, so health is ignored.", "scope"
        )


class Metrics:
    """All metrics of one controller."""

    def __init__(self) -> None:
        self.build = Gauge("build_info", "1; the versions.", "version", "spark")
        self.started = Gauge("start_timestamp_seconds", "When the process started.")
        self.standby = Gauge("standby", "1: it could take over from another controller.")
        self.redis = Counter(
            "redis_records_total", "Assignments written to Redis as well.", "result"
        )
        self.query, self.brain = OfQuery(), OfBrain()
        self.groups, self.brokers = OfGroups(), OfBrokers()
        self.lock = Lock()

    def families(self) -> Iterator[Family]:
        """Return all of them."""
        yield self.build
        yield self.started
        yield self.standby
        yield self.redis
        for part in (self.query, self.brain, self.groups, self.brokers):
            yield from vars(part).values()

    def text(self) -> str:
        """Write all that there is, as Prometheus reads it."""
        with self.lock:
            lines = [line for family in self.families() for line in family.text()]
        return "\n".join([*lines, ""])
