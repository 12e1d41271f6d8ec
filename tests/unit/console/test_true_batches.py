"""`trimtab replay` takes the batches as they were, and tells nothing that was not published."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from console.recordings.replaying import Replay
from console.settings import load
from console.wiring import described
from sinks import Record as Written
from streaming.wire.rows import Row
from tests.builders.command_line import Run
from tests.builders.log import LIFE, beat, join, leave, route
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
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
    controller: Replay = field(
        default_factory=lambda: Replay.of(described(load(environment={}).settings))
    )

    def append(self, topic: str, key: str, value: bytes | None, at: int) -> None:
        """Append a record."""
        partition = partition_of(GROUP, PARTITIONS)
        offset = sum(row.topic == topic for row in self.rows)
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
                self._batch(routine=second)

    def _batch(self, *, routine: bool) -> None:
        """Read what each topic had a moment ago, beats once a second."""
        seen = {row.topic: self.now - self.chance.choice((0, 0, 60)) for row in self.rows}
        there = [
            row
            for row in self.rows
            if row[:3] not in self.read
            and row.appended_ms <= seen[row.topic]
            and row.topic in self.controller.rules.decoder.topics
            and (routine or not row.topic.endswith(HEARTBEATS.name))
        ]
        self.read |= {row[:3] for row in there}
        for record in self.controller.decide(there) if there else ():
            self.append(record.topic, record.key.decode(), record.value, self.now + 20)
            self._obey(record)

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
        lines = [
            {
                "topic": row.topic,
                "partition": row.partition,
                "offset": row.offset,
                "timestamp": row.appended_ms,
                "key": (row.key or b"").decode(),
                "value": None if row.value is None else row.value.decode(),
            }
            for row in self.rows
            if row.topic.removeprefix(PREFIX) not in without
        ]
        Path("cluster.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        return "cluster.jsonl"

    def history(self, group: str) -> list[str]:
        """What was published of what happened to a group."""
        own = [it for it in self.rows if it.key == group.encode()]
        return [(row.value or b"").decode() for row in own if row.topic.endswith("history")]


def a_cluster(seed: int, *, has_neighbour: bool = False) -> Cluster:
    """Members come and go, one without a word, for a minute; an operator asks for too much."""
    cluster = Cluster(Random(seed), has_neighbour=has_neighbour)
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


def replayed(out: str) -> list[dict[str, object]]:
    """The history that a replay writes, durations aside."""
    lines = [json.loads(line) for line in out.splitlines()]
    return [timeless(it["value"]) for it in lines if it.get("topic") == "trimtab.history"]


def timeless(text: str) -> dict[str, object]:
    """An entry without what the length of a beat's way decides."""
    return {
        name: it for name, it in json.loads(text).items() if name not in {"duration_ms", "idle_ms"}
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("has_neighbour", [False, True], ids=["alone", "with a neighbour"])
def test_the_batches_are_those_of_the_controller(
    run: Run,
    seed: int,
    has_neighbour: bool,  # noqa: FBT001 - by pytest
) -> None:
    """All that was published comes again, in its order, and nothing else."""
    cluster = a_cluster(seed, has_neighbour=has_neighbour)
    code, out, error = run("replay", cluster.write(), "--group", GROUP, "--json")

    assert (0, "") == (code, error)
    assert [*map(timeless, cluster.history(GROUP))] == replayed(out)
    assert any("expired" in it for it in cluster.history(GROUP))


def test_it_ends_where_something_else_was_published(run: Run) -> None:
    """What came before is told, the difference is named, and the code says that there is one."""
    cluster = a_cluster(1)
    place = next(n for n, row in enumerate(cluster.rows) if b'"expired"' in (row.value or b""))
    row = cluster.rows[place]
    cluster.rows[place] = row._replace(value=(row.value or b"").replace(b"expired", b"fenced"))
    code, out, error = run("replay", cluster.write())

    assert 3 == code
    assert "b joined" in out
    assert "b expired" not in out
    assert "difference at 2026-01-01T" in error
    assert "published: trimtab.history/" in error
    assert "b fenced" in error
    assert "replayed:  billing: b expired" in error


def test_other_settings_show_as_a_difference(run: Run) -> None:
    """And by --every they are tried without being compared."""
    name = a_cluster(1).write()
    other = ("--set", "policy.strategy=AVG_BY_CIRCLE", "--group", GROUP)

    assert 3 == run("replay", name, *other)[0]
    assert 0 == run("replay", name, *other, "--every", "300")[0]


def test_a_log_whose_beginning_is_gone_is_said_to_be_so(run: Run) -> None:
    """Nothing is made up of what is left."""
    code, out, error = run("replay", a_cluster(1).write("members"))

    assert (3, "") == (code, out)
    assert "not one record came as it was published" in error


def test_only_what_came_since_is_printed(run: Run) -> None:
    """The rest is decided all the same."""
    name = a_cluster(1).write()
    whole = run("replay", name)[1]
    late = run("replay", name, "--since", "2026-01-01T00:00:20Z")[1]

    assert whole.endswith(late)
    assert "b expired" in late
    assert "b joined" not in late
