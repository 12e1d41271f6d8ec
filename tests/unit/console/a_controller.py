"""A log that members and a controller write, cut into batches at times of their own."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from console.recordings.replaying import Replay
from console.settings import load
from console.wiring import described
from sinks import Record as Written
from streaming.wire.rows import Row
from tests.builders.log import LIFE, beat, join, leave, route
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    TICK_KEY,
    EvictMember,
    Record,
    Release,
    ReleaseRef,
    Tick,
    decode,
    encode,
    partition_of,
)

GROUP, PREFIX, PARTITIONS = "billing", "trimtab.", 8
NEIGHBOUR = next(
    it
    for it in map("other-{}".format, range(99))
    if partition_of(it, PARTITIONS) == partition_of(GROUP, PARTITIONS)
)
STEP_MS, SECOND_MS = 50, 1_000


@dataclass
class Cluster:
    """A log that members and a controller write; the controller's batches end where they end."""

    chance: Random
    rows: list[Row] = field(default_factory=list)
    now: int = 1_767_225_600_000
    read: set[tuple[str, int, int]] = field(default_factory=set)
    members: dict[str, int] = field(default_factory=dict)
    """By name, the epoch of the last record that was read."""
    due: list[tuple[int, str, str, Record]] = field(default_factory=list)
    """What is appended later."""
    has_neighbour: bool = False
    """Whether a member of another group of the same cell beats at any time."""
    is_killed: bool = False
    """Whether the controller is killed while it publishes, and then decides the batch again."""
    ahead: dict[str, int] = field(default_factory=dict)
    """By topic, by how much the clock of its broker is."""
    controller: Replay = field(
        default_factory=lambda: Replay.of(described(load(environment={}).settings))
    )

    def append(self, topic: str, key: str, value: bytes | None, at: int) -> None:
        """Append a record."""
        partition = partition_of(GROUP, PARTITIONS)
        offset = sum(row.topic == topic for row in self.rows)
        at += self.ahead.get(topic, 0)
        row = Row(topic, partition, offset, at, key.encode(), value, len(value or b""))
        self.rows.append(row)

    def says(self, topic: str, record: Record, key: str = GROUP) -> None:
        """Somebody writes a record now."""
        self.append(f"{PREFIX}{topic}", key, encode(record), self.now)

    def lives(self, seconds: int) -> None:
        """Let time go by: ticks, beats, and batches at times of their own."""
        for step in range(seconds * SECOND_MS // STEP_MS):
            self.now += STEP_MS + self.chance.randrange(-9, 9)
            for late in [it for it in self.due if it[0] <= self.now]:
                self.due.remove(late)
                self.says(late[1], late[3], late[2])
            second = step * STEP_MS % SECOND_MS == 0
            if second:
                tick = Tick(controller="c", number=self.now // SECOND_MS)
                self.says(HEARTBEATS.name, tick, TICK_KEY.decode())
            if step * STEP_MS % (3 * SECOND_MS) == 0:
                for name, epoch in self.members.items():
                    self.says(HEARTBEATS.name, beat(name, sequence=self.now, epoch=epoch))
            if self.has_neighbour and self.chance.random() < 0.3:
                self.says(HEARTBEATS.name, beat("x", sequence=self.now), NEIGHBOUR)
            if self.chance.random() < 0.15 or second:
                self.reads(routine=second)

    def reads(self, *, routine: bool) -> None:
        """Read what each topic had a moment ago, beats once a second."""
        seen = {row.topic: self.now - self.chance.choice((0, 0, 60)) for row in self.rows}
        there = [
            row
            for row in self.rows
            if row[:3] not in self.read
            and row.appended_ms - self.ahead.get(row.topic, 0) <= seen[row.topic]
            and row.topic in self.controller.rules.decoder.topics
            and (routine or not row.topic.endswith(HEARTBEATS.name))
        ]
        self.read |= {row[:3] for row in there}
        decided = self.controller.decide(there) if there else []
        while self.is_killed and decided and self.chance.random() < 0.5:
            self._publish(decided[: self.chance.randrange(len(decided)) + 1])
        self._publish(decided)
        for record in decided:
            self._obey(record)

    def _publish(self, records: list[Written]) -> None:
        for record in records:
            self.append(record.topic, record.key.decode(), record.value, self.now + 20)

    def _obey(self, record: Written) -> None:
        if not record.topic.endswith(ASSIGNMENTS.name) or record.value is None:
            return
        told = decode(ASSIGNMENTS, record.value)
        self.members[told.member] = told.epoch
        if told.give:
            done = tuple(
                ReleaseRef(row.topic, row.broker, row.id, row.epoch, None, row.next, row.to)
                for row in told.give
            )
            release = Release(member=told.member, incarnation=LIFE, sequence=self.now, queues=done)
            when = self.now + self.chance.randrange(30, 400)
            self.due.append((when, RELEASES.name, GROUP, release))

    def write(self, *without: str) -> str:
        """Write it as a recording without batches."""
        rows = (row for row in self.rows if row.topic.removeprefix(PREFIX) not in without)
        Path("cluster.jsonl").write_text(recorded(rows))
        return "cluster.jsonl"

    def compact(self) -> None:
        """Have Kafka keep the last summary only."""
        summaries = [row for row in self.rows if row.topic == f"{PREFIX}{GROUPS.name}"]
        self.rows = [row for row in self.rows if row not in summaries[:-1]]

    def history(self, group: str) -> list[str]:
        """What was published of what happened to a group, each entry once."""
        own = [it for it in self.rows if it.key == group.encode()]
        told = [(row.value or b"").decode() for row in own if row.topic.endswith("history")]
        return list(dict.fromkeys(told))


def a_cluster(
    seed: int,
    *,
    has_neighbour: bool = False,
    is_killed: bool = False,
    ahead: dict[str, int] | None = None,
) -> Cluster:
    """Members come and go, one without a word, for a minute; an operator asks for too much."""
    cluster = Cluster(Random(seed), has_neighbour=has_neighbour, is_killed=is_killed)
    cluster.ahead |= ahead or {}
    cluster.lives(2)
    if has_neighbour:
        cluster.says(MEMBERS.name, join("x"), NEIGHBOUR)
    cluster.says(MEMBERS.name, join("a"))
    cluster.lives(1)
    cluster.says(ROUTES.name, route(queues=6))
    cluster.lives(2)
    cluster.says(MEMBERS.name, join("b"))
    cluster.says(MEMBERS.name, join("c"))
    cluster.lives(8)
    for number in range(3):
        evict = EvictMember(id=f"{number}", principal="ann", reason="it is slow", member="nobody")
        cluster.says(COMMANDS.name, evict)
        cluster.lives(2)
    del cluster.members["b"]
    cluster.lives(25)
    cluster.says(MEMBERS.name, leave("c"))
    del cluster.members["c"]
    cluster.lives(5)
    return cluster


def recorded(rows: Iterable[Row]) -> str:
    """Rows as a recording has them, line by line."""
    lines = (
        {
            "topic": row.topic,
            "partition": row.partition,
            "offset": row.offset,
            "timestamp": row.appended_ms,
            "key": (row.key or b"").decode(),
            "value": None if row.value is None else row.value.decode(),
        }
        for row in rows
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines)
