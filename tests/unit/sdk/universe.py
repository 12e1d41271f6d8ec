"""A small world: real sessions, the real controller, and a Kafka that is a few lists.

One group, one partition, one clock. Members may crash, be suspended, be cut off, be slow or leave;
the controller reads each topic as far as chance lets it, and is away for a while now and then.
Everything is drawn from one seed, so a failure can be played again.

The law is checked at every step: no queue is worked on by two processes that run, and each grant of
a queue has a larger token than the one before.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Final, assert_never

from streaming.cell.codec import Cell
from streaming.cell.fold import Rules, fold
from streaming.wire.rows import Row
from tests.builders.log import rules
from trimtab.protocol import (
    ASSIGNMENTS,
    HEARTBEATS,
    RELEASES,
    ROUTES,
    TICK_KEY,
    QueueRef,
    Release,
    Route,
    RunRef,
    Tick,
    decode,
    encode,
    member_key,
    partition_of,
)
from trimtab.protocol.members import Mode
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    FindEnd,
    Grant,
    Lost,
    MemberSession,
    Profile,
    Revoked,
    Send,
    Unheard,
    incarnation,
)

GROUP: Final = "billing"
QUEUES: Final = 5
ROUTE: Final = Route(topic="orders", version=1, exists=True, runs=(RunRef("", 0, QUEUES),))
OVERTAKING_MS: Final = 1_000
"""The pipeline reads beats up to a second later than what is urgent."""
REVOCATION_MS: Final = 20_000
"""Short, so that it is missed now and then."""
DELIVERY_MS: Final = 10_000
"""After this long the client gives a record up."""


@dataclass(slots=True)
class Process:
    """A process: a session, its application, and its connection."""

    name: str
    session: MemberSession
    heard: int
    """How far it has read the releases, and below, its orders."""
    read: int
    working: dict[QueueRef, Grant] = field(default_factory=dict)
    finishing: dict[Grant, int] = field(default_factory=dict)
    """What the application was told to stop, and when it will have."""
    outbox: list[tuple[int, Send]] = field(default_factory=list)
    suspended_until: int = 0
    awake: bool = True
    """Whether it has looked at its clock since it was suspended."""
    cut_until: int = 0
    """Nothing gets through to Kafka."""
    deaf_until: int = 0
    """Nothing gets through from Kafka."""


class World:
    """Everything there is."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.now = 1_000_000
        self.rules: Rules = rules()
        self.partition = partition_of(GROUP, self.rules.decoder.partitions)
        self.cell = Cell()
        self.logs: dict[str, list[Row]] = {name: [] for name in self.rules.decoder.topics}
        self.orders: dict[bytes, list[bytes | None]] = {}
        self.booked = dict.fromkeys(self.logs, 0)
        self.away_until = 0
        self.slowness = [0, 5, 500, 5_000, 30_000]
        """How long applications may take to stop."""
        self.processes: list[Process] = []
        self.tokens: dict[QueueRef, int] = {}
        self.ticked = 0
        self.born = 0

    def append(self, topic: str, key: bytes, value: bytes) -> None:
        """Kafka takes a record and stamps it."""
        name = next(full for full in self.logs if full.endswith(f".{topic}"))
        log = self.logs[name]
        log.append(Row(name, self.partition, len(log), self.now, key, value, len(value)))

    def log(self, topic: str) -> list[Row]:
        """All records of a topic."""
        return next(log for name, log in self.logs.items() if name.endswith(f".{topic}"))

    def start(
        self,
        name: str,
        instance: str | None = None,
        mode: Mode = "clustering",
        *,
        clock_ms: int = 0,
    ) -> Process:
        """A process starts, under a name that it may have had before, with a clock so far off."""
        self.born += 1
        life = incarnation(self.now + clock_ms, self.born)
        profile = Profile(
            group=GROUP,
            member=name,
            topics=("orders",),
            revocation_timeout_ms=REVOCATION_MS,
            instance=instance,
            mode=mode,
        )
        session = MemberSession(profile, life, self.now)
        read = len(self.orders.get(member_key(GROUP, name), []))
        process = Process(name, session, len(self.log(RELEASES.name)), read)
        self.processes.append(process)
        return process

    def suspend(self, process: Process, duration: int) -> None:
        """The process does nothing for a while, and does not know it."""
        process.awake = False
        process.suspended_until = self.now + duration

    def lives(self, duration: int) -> None:
        """Time goes by."""
        end = self.now + duration
        while self.now < end:
            self.step()

    def step(self) -> None:
        """A little time passes, and everybody does what is due, in some order."""
        self.now += self.chance.choice([1, 10, 50, 300])
        while self.ticked < self.now // 1_000:
            self.ticked = max(self.ticked + 1, self.now // 1_000 - 1)
            self.append(HEARTBEATS.name, TICK_KEY, encode(Tick(controller="c", number=self.ticked)))
            if self.ticked % 5 == 0:  # the watcher looks again, and groups may have come anew
                self.append(ROUTES.name, GROUP.encode(), encode(ROUTE))
        for process in self.chance.sample(self.processes, len(self.processes)):
            if process.suspended_until <= self.now:
                self.run(process)
        if self.away_until <= self.now and self.chance.random() < 0.6:
            self.decide()

    def decide(self) -> None:
        """The controller folds what it has read of each topic, and publishes."""
        rows = []
        for topic, log in self.logs.items():
            end = len(log)
            if topic.endswith(f".{HEARTBEATS.name}"):  # what is urgent overtakes beats, by so much
                old = sum(row.appended_ms < self.now - OVERTAKING_MS for row in log)
                end = self.chance.randint(max(old, self.booked[topic]), end)
            rows += log[self.booked[topic] : end]
            self.booked[topic] = end
        if not rows:
            return
        folded = fold(self.cell, rows, self.rules)
        self.cell = folded.cell
        for record in folded.records:
            if record.topic.endswith(f".{ASSIGNMENTS.name}"):
                self.orders.setdefault(record.key, []).append(record.value)

    def run(self, process: Process) -> None:
        """A process does what it is woken for: time first, then what has come in."""
        self.perform(process, process.session.tick(self.now))
        process.awake = True
        for grant in [grant for grant, due in process.finishing.items() if due <= self.now]:
            del process.finishing[grant]
            if process.working.get(grant.queue) == grant:
                del process.working[grant.queue]
            self.perform(process, process.session.finish({grant: None}, self.now))
        if process.cut_until <= self.now:
            self.deliver(process)
        else:
            self.give_up(process)
        if process.deaf_until <= self.now:
            self.receive(process)

    def deliver(self, process: Process) -> None:
        """The client's queue is written, in order."""
        while process.outbox and self.chance.random() < 0.9:
            _, message = process.outbox.pop(0)
            self.append(message.topic, message.key, message.value)
            self.perform(process, process.session.acknowledged(message.ticket, self.now))

    def give_up(self, process: Process) -> None:
        """What has waited for too long fails."""
        while process.outbox and process.outbox[0][0] + DELIVERY_MS <= self.now:
            _, message = process.outbox.pop(0)
            self.perform(process, process.session.failed(message.ticket, self.now))

    def receive(self, process: Process) -> None:
        """Read releases and orders, as far as chance lets it; orders may be skipped."""
        releases = self.log(RELEASES.name)
        for row in releases[process.heard : self.chance.randint(process.heard, len(releases))]:
            process.heard += 1
            release = decode(RELEASES, row.value)
            assert isinstance(release, Release)
            self.perform(process, process.session.hear(release, self.now))
        orders = self.orders.get(member_key(GROUP, process.name), [])
        while process.read < len(orders) and self.chance.random() < 0.8:
            if self.chance.random() < 0.3:
                process.read = len(orders) - 1
            value = orders[process.read]
            process.read += 1
            record = None if value is None else decode(ASSIGNMENTS, value)
            self.perform(process, process.session.receive(record, self.now))

    def perform(self, process: Process, actions: list[Action]) -> None:
        """Carry out what a session asks for; then the law must hold."""
        for action in actions:
            match action:
                case Send():
                    process.outbox.append((self.now, action))
                case FindEnd():
                    if process.deaf_until <= self.now:
                        actions += process.session.caught_up(self.now, self.now)
                case Ended():
                    self.processes = [it for it in self.processes if it is not process]
                case Assigned() | Revoked() | Lost():
                    self.tell(process, action)
                case Unheard():
                    pass  # for people
                case _:
                    assert_never(action)
        self.check()

    def tell(self, process: Process, change: Assigned | Revoked | Lost) -> None:
        """The application starts and stops; stopping in good order may take it a while."""
        for grant in change.grants:
            match change:
                case Assigned():
                    self.sees(process, grant)
                    process.working[grant.queue] = grant
                case Revoked():
                    slow = self.chance.choice(self.slowness)
                    process.finishing[grant] = self.now + slow
                case Lost():
                    process.working.pop(grant.queue)
                case _:
                    assert_never(change)

    def sees(self, process: Process, grant: Grant) -> None:
        """Tokens of a queue grow, but for those who own nothing."""
        if process.session.profile.mode == "clustering":
            assert grant.token > self.tokens.get(grant.queue, 0), "tokens must grow"
            self.tokens[grant.queue] = grant.token

    def check(self) -> None:
        """No two processes that run own one queue."""
        owning = [it for it in self.processes if it.session.profile.mode == "clustering"]
        running = [process for process in owning if process.awake]
        owners = [queue for process in running for queue in process.working]

        assert len(owners) == len(set(owners)), f"two owners at {self.now}"
