"""What the controller has published, as Kafka has it now.

``groups``, ``assignments`` and ``brokers`` are compacted: the last record of each key counts. Where
one group is asked for only its partition is read, and of that only its own records are decoded, so
a question about one group costs the same however many there are.

Called by the commands that show something. Its one rule: a record that nobody can read is left out
and counted, and never ends the command.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Thread
from typing import NamedTuple, TypeVar

from confluent_kafka import Message

from console.cluster import bootstrap_servers
from console.errors import ExitCode, Failure
from console.settings import Settings
from console.whole_topics import messages
from trimtab.protocol import (
    ASSIGNMENTS,
    BROKERS,
    CONTROLLERS,
    DEADLETTERS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    TICK_KEY,
    Assignment,
    BrokerKey,
    Controller,
    DeadLetter,
    Group,
    HistoryRecord,
    MemberKey,
    Record,
    Tick,
    Topic,
    UndecodableRecord,
    Verdict,
    decode,
    member_key,
    read_broker_key,
    read_group_key,
    read_member_key,
)

R = TypeVar("R", bound=Record)
T = TypeVar("T")
K = TypeVar("K")


class Noted(NamedTuple):
    """An entry of the history, and where it stands."""

    place: str
    entry: HistoryRecord


class Buried(NamedTuple):
    """A dead letter, and where it stands."""

    place: str
    letter: DeadLetter


@dataclass(slots=True)
class Published:
    """The controller's topics on one cluster."""

    settings: Settings
    unreadable: int = 0
    """Records that were left out."""
    _servers: str = field(init=False)

    def __post_init__(self) -> None:
        """Find the cluster."""
        self._servers = bootstrap_servers(self.settings)

    def groups(self, group: str | None = None) -> dict[str, Group]:
        """Return the newest summary of each group, or of one; in order of names."""
        own = b"" if group is None else group.encode()
        found = self._newest(GROUPS, group, own, read_group_key)
        return found if group is None else {name: it for name, it in found.items() if name == group}

    def assignments(self, group: str | None = None) -> dict[MemberKey, Assignment]:
        """Return what each member was told last, of one group or of all."""
        own = b"" if group is None else member_key(group, "")
        return self._newest(ASSIGNMENTS, group, own, read_member_key)

    def verdicts(self) -> dict[BrokerKey, Verdict]:
        """Return the newest verdict on each broker, in order of cluster and broker."""
        return self._newest(BROKERS, None, b"", read_broker_key)

    def history(self, name: str | None, since_ms: int | None = None) -> list[Noted]:
        """Return what happened to a group or a cluster, or to all; oldest first in each."""
        own = None if name is None else name.encode()
        return [
            Noted(_place(message), entry)
            for message in self._messages(HISTORY, name, since_ms)
            if own in (None, message.key()) and (entry := self._read(HISTORY, message)) is not None
        ]

    def letters(self, since_ms: int | None = None) -> list[Buried]:
        """Return the dead letters, oldest first."""
        read = (
            (message, self._read(DEADLETTERS, message))
            for message in self._messages(DEADLETTERS, None, since_ms)
        )
        found = [
            (message.timestamp()[1], Buried(_place(message), letter))
            for message, letter in read
            if letter is not None
        ]
        return [buried for _, buried in sorted(found, key=lambda it: it[0])]

    def ticks(self, since_ms: int) -> dict[int, tuple[int, Tick]]:
        """Return the last tick of each partition since a moment, and when it was appended."""
        found: dict[int, tuple[int, Tick]] = {}
        for message in self._messages(HEARTBEATS, None, since_ms):
            if message.key() != TICK_KEY:
                continue
            record = self._read(HEARTBEATS, message)
            if isinstance(record, Tick):
                found[message.partition() or 0] = (message.timestamp()[1], record)
        return found

    def controllers(self) -> list[tuple[int, Controller]]:
        """Return when each controller has said something last, and what; in order of names."""
        last = {message.key() or b"": message for message in self._messages(CONTROLLERS)}
        read = (
            (message.timestamp()[1], self._read(CONTROLLERS, message))
            for _, message in sorted(last.items(), key=lambda entry: entry[0])
            if message.value() is not None
        )
        return [(at_ms, said) for at_ms, said in read if said is not None]

    def _messages(
        self, topic: Topic[R], key: str | None = None, since_ms: int | None = None
    ) -> Iterator[Message]:
        name = f"{self.settings.topics.prefix}{topic.name}"
        return messages(self.settings, self._servers, [name], key=key, since_ms=since_ms)

    def _newest(
        self,
        topic: Topic[R],
        partition_of: str | None,
        prefix: bytes,
        name_of: Callable[[bytes | None], K],
    ) -> dict[K, R]:
        """Return the last record of each key that begins so; older ones are not even decoded."""
        last: dict[bytes, Message] = {}
        for message in self._messages(topic, partition_of):
            key = message.key() or b""
            if not key.startswith(prefix):
                continue
            if message.value() is None:
                last.pop(key, None)
            else:
                last[key] = message
        found: dict[K, R] = {}
        for key, message in sorted(last.items(), key=lambda entry: entry[0]):
            record = self._read(topic, message)
            if record is not None:
                try:
                    found[name_of(key)] = record
                except UndecodableRecord:
                    self.unreadable += 1
        return found

    def _read(self, topic: Topic[R], message: Message) -> R | None:
        try:
            return decode(topic, message.value())
        except UndecodableRecord:
            self.unreadable += 1
            return None


def _place(message: Message) -> str:
    return f"{message.topic()}/{message.partition()}@{message.offset()}"


def at_once(work: Callable[[], T]) -> T:
    """Do what waits for Kafka so that Ctrl-C ends it at once.

    Kafka's client waits in C, where Python cannot interrupt it; so it waits in another thread.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again below
            failed.append(error)

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def the_group(published: Published, name: str) -> Group:
    """Return a group's summary.

    Raises:
        Failure: There is no such group; the nearest names are said.
    """
    try:
        read_group_key(name.encode())
    except UndecodableRecord as error:
        raise Failure(f"GROUP: {error.detail}", ExitCode.USAGE) from error
    found = published.groups(name).get(name)
    if found is None:
        raise Failure(unknown("group", name, published.groups()), ExitCode.NOT_FOUND)
    return found


def unknown(noun: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no such thing, and what there is."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, n=3, cutoff=0.6) or names[:3]
    hint = f"; there is {', '.join(near)}" if near else f"; there is no {noun} at all yet"
    return f"there is no {noun} {name}{hint}"
