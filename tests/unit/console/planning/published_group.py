"""A group that lives in a story, and what a controller publishes of it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from allocators import allocator
from console.settings import load
from console.views.sentences import queue_name
from rebalance.groups.model.commands import Command
from rebalance.groups.model.decisions import CommandAnswered, EventRefused
from rebalance.groups.model.events import Event, Released
from rebalance.groups.model.policy import Policy
from rebalance.ids import Life, MemberId, Naming, Queue
from rebalance.stamp import Stamp
from sinks import Outlet, record_of
from streaming.wire.translation import event_of
from tests.builders.records import beat_of, commanded, marked
from tests.builders.story import Story, only
from trimtab.protocol import MEMBERS, ROUTES, Join, Record, Route, RunRef, encode

NAME = "billing"
START_MS = 1_767_225_600_000
LIFE = f"{START_MS}-9f86d081"
OUTLET = Outlet("trimtab.", 16)

Ask = Callable[..., tuple[int, dict[str, Any]]]
"""A plan, asked for: the exit code, and what is printed."""


class Message(NamedTuple):
    """A message, as Kafka's client hands it over."""

    named: bytes | None
    written: bytes | None
    stands: int = 0

    def topic(self) -> str:
        """Any."""
        return "t"

    def partition(self) -> int:
        """One alone."""
        return 0

    def offset(self) -> int:
        """Where it stands."""
        return self.stands

    def key(self) -> bytes | None:
        """Whom it is about."""
        return self.named

    def value(self) -> bytes | None:
        """What it says."""
        return self.written

    def timestamp(self) -> tuple[int, int]:
        """When it was appended."""
        return 1, START_MS + self.stands


def publishes(
    patch: pytest.MonkeyPatch, records: Mapping[str, Sequence[tuple[bytes, Record]]]
) -> None:
    """Have some cluster's topics hold these records, in their order."""

    def messages(*asked: Any, **_: object) -> Iterator[Message]:  # noqa: ANN401 - as Kafka's reader
        for topic in asked[2]:
            for number, (key, record) in enumerate(records.get(topic.removeprefix("trimtab."), ())):
                yield Message(key, encode(record), number)

    patch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")
    patch.setattr("console.published.messages", messages)


def by_default() -> Policy:
    """The policy of who sets nothing."""
    settings = load(environment={}).settings
    return settings.policy.policy(settings.controller.max_clock_step)


@dataclass
class PublishedGroup:
    """The group billing, and every record about it."""

    policy: Policy = field(default_factory=by_default)
    topics: dict[str, list[Message]] = field(default_factory=dict)
    story: Story = field(init=False)
    _published: int = 0

    def __post_init__(self) -> None:
        """Begin with nobody."""
        general = allocator(self.policy.strategy, json.loads(self.policy.strategy_options))
        self.story = Story(policy=self.policy, allocator=general)

    def hears(self, *records: Record) -> None:
        """Have records written and read in one batch, and let everybody obey."""
        for record in records:
            topic = ROUTES if isinstance(record, Route) else MEMBERS
            key = NAME.encode()
            self.topics.setdefault(OUTLET.topic(topic), []).append(Message(key, encode(record)))
        marks = (marked(f"{it.member}:{LIFE}") for it in records if isinstance(it, Join))
        self.story.reads(*map(_read, records), *marks)
        self._obey()
        self._publish()

    def joins(self, *names: str, **said: Any) -> None:  # noqa: ANN401 - any field of a join
        """Let members join."""
        self.hears(*(join(name, **said) for name in names))

    def waits(self, seconds: int, *, silent: Iterable[str] = ()) -> None:
        """Let time go by; all but some members beat each second."""
        for _ in range(seconds):
            self.story.waits(seconds=1)
            there = self.story.state.membership.members.keys() - set(silent)
            epoch = self.story.state.epoch
            if there:
                self.story.reads(
                    *(beat_of(f"{name}:{LIFE}", epoch=epoch) for name in sorted(there))
                )
            self._obey()
        self._publish()

    def obeys(self, command: Command) -> list[tuple[str, str]]:
        """Have an operator command; return what is answered."""
        answers = only(CommandAnswered, self.story.reads(commanded(command)))
        self._obey()
        self._publish()
        return [(it.outcome.value, it.detail) for it in answers]

    def owners(self) -> dict[Queue, MemberId]:
        """Return whom each queue is meant for."""
        return dict(self.story.state.target.owners)

    def messages(self, *asked: Any, **_: object) -> Iterator[Message]:  # noqa: ANN401 - as Kafka's reader
        """Stand in for reading Kafka's topics."""
        for topic in asked[2]:
            yield from self.topics.get(topic, ())

    def _obey(self) -> None:
        """Let members release what they are told to give, until nothing is left to give."""
        while told := [it for it in self.story.records.values() if it and it.portion.give]:
            self.story.reads(*(_released(it.life, it.portion.give) for it in told))

    def _publish(self) -> None:
        for decision in self.story.decisions[self._published :]:
            if not isinstance(decision, EventRefused):
                record = record_of(decision, OUTLET)
                self.topics.setdefault(record.topic, []).append(Message(record.key, record.value))
        self._published = len(self.story.decisions)


def moved(before: dict[Queue, MemberId], after: dict[Queue, MemberId]) -> dict[str, Any]:
    """What has really moved."""
    return {
        queue_name(queue): (before.get(queue), after.get(queue))
        for queue in before.keys() | after.keys()
        if before.get(queue) != after.get(queue)
    }


def told(plan: dict[str, Any]) -> dict[str, Any]:
    """What a plan says would move."""
    return {row["queue"]: (row["from"], row["to"]) for row in plan["moved"]}


def join(name: str, **said: Any) -> Join:  # noqa: ANN401 - any field
    """A member joins."""
    whole: dict[str, Any] = {
        "incarnation": LIFE,
        "sequence": 1,
        "topics": ("orders",),
        "marks": True,
    }
    return Join(member=name, **whole | said)


def route(topic: str, queues: int, version: int = 1) -> Route:
    """A topic has so many queues."""
    return Route(topic=topic, version=version, exists=True, runs=(RunRef("", 0, queues),))


def _released(life: Life, given: tuple[Naming, ...]) -> Callable[[Stamp], Released]:
    return lambda stamp: Released(stamp, life, given)


def _read(record: Record) -> Any:  # noqa: ANN401 - a record of a story
    def stamped(stamp: Stamp) -> Event:
        event = event_of(record, stamp)
        assert not hasattr(event, "start")
        return event

    return stamped
