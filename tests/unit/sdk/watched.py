"""A member's watch and all that it looks at: a Kafka that answers, and ears that note.

What the tests of its words share. Its one rule: it runs no callback and starts no Kafka.
"""

from collections.abc import Sequence
from typing import Any, cast

from tests.builders.application import until
from tests.builders.sessions import GROUP, HEARTBEAT_MS, REVOCATION_MS, assignment
from trimtab.callbacks import Callbacks, CallbackThread, Change, Running
from trimtab.inspection import Inspection
from trimtab.protocol import MEMBERS
from trimtab.session import MemberSession, Profile, Send
from trimtab.transports.contract import Delivered
from trimtab.transports.inspector import LastTick, Subscriber
from trimtab.transports.link import Link
from trimtab.watching import Watch

ME = "1767225600000-00000001"


class Answers:
    """A Kafka that answers what it was told to."""

    def __init__(self) -> None:
        self.link = Link.of_confluent("kafka-1:9092", {})
        self.prefix = "t."
        self.who: tuple[Subscriber, ...] | None = ()
        self.missing: frozenset[str] | None = frozenset()
        self.tick: LastTick | None = None
        self.asked: list[str] = []

    def subscribers(self, group: str) -> tuple[Subscriber, ...] | None:
        """Who subscribes."""
        self.asked.append(f"group {group}")
        return self.who

    def absent(self, topics: Sequence[str]) -> frozenset[str] | None:
        """What is not there."""
        self.asked.append(f"topics {','.join(topics)}")
        return self.missing

    def last_tick(self, group: str) -> LastTick | None:
        """When a controller ticked."""
        self.asked.append(f"tick {group}")
        return self.tick


class Ears(CallbackThread):
    """Notes what it is told, and runs nothing."""

    def __init__(self) -> None:
        super().__init__(Callbacks(), cast("Any", None), lambda _: None, lambda _: None)
        self.heard: list[Exception] = []
        self.at_work: Running | None = None

    def tell(self, news: Change | Exception) -> None:
        """Note it."""
        assert isinstance(news, Exception)
        self.heard.append(news)

    def running(self) -> Running | None:
        """What runs."""
        return self.at_work


class World:
    """A watch, and all that it looks at."""

    def __init__(self, mode: str = "clustering", *, is_alone: bool = False) -> None:
        profile = Profile(
            group=GROUP,
            member="m",
            topics=("orders", "bills"),
            mode=mode,  # type: ignore[arg-type]  # one of three
            session_timeout_ms=60_000,
        )
        self.answers, self.ears = Answers(), Ears()
        self.session = MemberSession(profile, ME, 0)
        self._inspection = Inspection(self.answers)
        self.watch = Watch(profile, self.ears, None if is_alone else self._inspection)

    def look(self, *times: int) -> list[Exception]:
        """Look, with an answer to what is asked; return all that was told so far."""
        for now in times:
            self.watch.look(self.session, now)
            until(lambda: not self._inspection.is_asking)
            self.watch.look(self.session, now)
        return self.ears.heard

    def join(self, now: int, ticket: int = 1) -> None:
        """A join is in the log."""
        self.watch.sent(Send(MEMBERS.name, b"k", b"v", ticket))
        self.watch.hear(Delivered(ticket), now)

    def answer(self, now: int, revocation_ms: int = REVOCATION_MS) -> None:
        """The controller answers, and grants so much for a revocation."""
        record = assignment(1, incarnation=ME, hold=[(0, 1)])
        times = {"session_timeout_ms": 3 * HEARTBEAT_MS, "heartbeat_interval_ms": HEARTBEAT_MS}
        times |= {"revocation_timeout_ms": revocation_ms}
        self.session.receive(record.model_copy(update=times), now)
