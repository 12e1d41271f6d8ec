"""What the controller has published, as far as it has been read.

    published = Published(servers, prefix)
    published.wait_until(lambda: published.is_stable("billing", members=2))

Reads everything from the beginning, decoded by the contract: a record that breaks it fails the
test.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from tests.integration.topics import PARTITIONS
from trimtab import Member
from trimtab.protocol import (
    ASSIGNMENTS,
    BROKERS,
    DEADLETTERS,
    GROUPS,
    HISTORY,
    Assignment,
    BrokerKey,
    CommandAnswer,
    DeadLetter,
    Group,
    Handover,
    HistoryRecord,
    MemberKey,
    Topic,
    Verdict,
    decode,
    read_broker_key,
    read_group_key,
    read_member_key,
)

PATIENCE_S = 60.0
_LAST = 40
"""So much is shown of what was said: the end tells what is missing."""
_TOPICS: tuple[Topic[Any], ...] = (ASSIGNMENTS, GROUPS, BROKERS, HISTORY, DEADLETTERS)


class Published:
    """The controller's topics, read along."""

    def __init__(self, servers: str, prefix: str) -> None:
        self.assignments: dict[MemberKey, Assignment | None] = {}
        """Each member's newest record; None when it was withdrawn."""
        self.groups: dict[str, Group] = {}
        self.verdicts: dict[BrokerKey, Verdict | None] = {}
        self.history: list[HistoryRecord] = []
        self.letters: list[DeadLetter] = []
        self._prefix = prefix
        self._asked: dict[str, None] = {}
        """The groups that a test has asked about, which it is told of if it waits in vain."""
        self._read: dict[tuple[str, int], int] = {}
        """Up to which offset each partition has been read."""
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "published",
                "fetch.wait.max.ms": 250,  # what is new comes at once; asking costs
                "enable.partition.eof": True,  # the last records of a partition may be gone
            }
        )
        self._places = [
            TopicPartition(f"{prefix}{topic.name}", partition, 0)
            for topic in _TOPICS
            for partition in range(PARTITIONS)
        ]
        self._consumer.assign(self._places)

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def wait_until(self, condition: Callable[[], bool], within: float = PATIENCE_S) -> None:
        """Read until something is true."""
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, self.describe()
            message = self._consumer.poll(0.05)
            if message is not None:
                self._take(message)

    def catch_up(self) -> None:
        """Read all that has been said by now: whatever comes afterwards is new."""
        ends = {(it.topic, it.partition): self._end(it) for it in self._places}
        self.wait_until(lambda: all(self._read.get(it, 0) >= end for it, end in ends.items()))

    def watch(self, seconds: float) -> None:
        """Read for a while, whatever comes, and all that was said in it."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() >= end, seconds + PATIENCE_S)
        self.catch_up()

    def is_stable(self, group: str, members: Iterable[str], queues: int) -> bool:
        """Tell whether these members and no others hold all of so many queues, at rest."""
        self._asked[group] = None
        summary = self.groups.get(group)
        return (
            summary is not None
            and summary.state == "stable"
            and {it.member for it in summary.people} == set(members)
            and sum(it.hold for it in summary.people) == queues
        )

    def has_heirs(self, group: str, members: Iterable[str], queues: int) -> bool:
        """Tell whether they do, and each is to name another; that is told a batch later."""
        records = [it for key, it in self.assignments.items() if key.group == group]
        held = [row for it in records if it is not None for row in it.hold]
        return (
            self.is_stable(group, members, queues)
            and len(held) == queues
            and all(row.next is not None for row in held)
        )

    def is_read_by(self, member: Member) -> bool:
        """Tell whether a member, of whose name there is one, works on all that it is granted."""
        named = [it for key, it in self.assignments.items() if key.member == member.member_id]
        granted = sum(len(it.hold) for it in named if it is not None)
        return bool(named) and granted == len(member.assignment)

    def of_group(self, group: str) -> list[HistoryRecord]:
        """The history of one group."""
        self._asked[group] = None
        return [it for it in self.history if getattr(it, "group", None) == group]

    def handovers(self, group: str) -> list[Handover]:
        """The hand-overs of one group."""
        return [it for it in self.of_group(group) if isinstance(it, Handover)]

    def endings(self, group: str) -> set[str]:
        """How queues of one group were let go; the history may come after all else."""
        self.wait_until(lambda: bool(self.handovers(group)))
        self.catch_up()
        return {it.ending for it in self.handovers(group)}

    def answers(self, group: str) -> dict[str, str]:
        """What became of each command to one group."""
        return {it.id: it.outcome for it in self.of_group(group) if isinstance(it, CommandAnswer)}

    def passed(self, group: str, giver: str, taker: str) -> dict[str, int]:
        """How many queues one member has passed to another so far, by how its hold ended."""
        count = Counter[str]()
        for it in self.handovers(group):
            if (it.from_member, it.to_member) == (giver, taker):
                count[it.ending] += len(it.queues)
        return dict(count)

    def describe(self) -> str:
        """Say what has been read of the groups in question, for a test that waits in vain."""
        groups = self._asked or self.groups
        return "\n".join(
            ["gave up waiting; the controller has said:"]
            + [f"{it}: {self.groups.get(it)}" for it in groups]
            + [str(record) for it in groups for record in self.of_group(it)[-_LAST:]]
            + [str(letter) for letter in self.letters[-_LAST:]]
        )

    def _end(self, place: TopicPartition) -> int:
        bounds = self._consumer.get_watermark_offsets(place, PATIENCE_S)
        assert bounds is not None, f"nobody says where {place} ends"
        return bounds[1]

    def _take(self, message: Message) -> None:
        place, offset = (message.topic() or "", message.partition() or 0), message.offset() or 0
        error = message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001 - named so there
            self._read[place] = offset
            return
        self._read[place] = offset + 1
        value = message.value()
        match (message.topic() or "").removeprefix(self._prefix):
            case "assignments":
                key = read_member_key(message.key())
                self.assignments[key] = None if value is None else decode(ASSIGNMENTS, value)
            case "groups":
                group = read_group_key(message.key())
                self.groups.pop(group, None)
                if value is not None:
                    self.groups[group] = decode(GROUPS, value)
            case "brokers":
                broker = read_broker_key(message.key())
                self.verdicts[broker] = None if value is None else decode(BROKERS, value)
            case "history":
                self.history.append(decode(HISTORY, value))
            case "deadletters":
                self.letters.append(decode(DEADLETTERS, value))
