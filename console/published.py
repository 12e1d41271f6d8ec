"""What the controller has published, as Kafka has it now.

``groups``, ``assignments`` and ``brokers`` are compacted: the last record of each key counts. Where
one group is asked for only its partition is read, and of that only its own records are decoded, so
a question about one group costs the same however many there are.

Called by the commands that show something. Its one rule: a record that nobody can read is left out
and noted, and never ends the command.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Thread
from typing import NamedTuple, TypeVar

from confluent_kafka import Message

from console.briefs import Brief, brief_of
from console.cluster import bootstrap_servers
from console.copies import without_copies
from console.output import Remark
from console.settings import Settings
from console.views.history import Noted
from console.whole_topics import Since, messages
from trimtab.protocol import (
    ASSIGNMENTS,
    BROKERS,
    CONTROLLERS,
    DEADLETTERS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    LATENCY,
    MEMBERS,
    TICK_KEY,
    Assignment,
    BrokerKey,
    Controller,
    DeadLetter,
    Group,
    Hosts,
    Join,
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


class KeptLetter(NamedTuple):
    """A dead letter, and where it stands."""

    place: str
    letter: DeadLetter


class Unreadable(NamedTuple):
    """A record that was left out."""

    place: str
    topic: str
    key: bytes | None
    why: str


@dataclass(slots=True)
class Published:
    """The controller's topics on one cluster."""

    settings: Settings
    unreadable: set[Unreadable] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Look whether there is a cluster."""
        bootstrap_servers(self.settings)

    def groups(self, group: str | None = None) -> dict[str, Group]:
        """Return the newest summary of each group, or of one; in order of names."""
        own = b"" if group is None else group.encode()
        found = self._newest(GROUPS, group, own, read_group_key)
        return found if group is None else {name: it for name, it in found.items() if name == group}

    def briefs(self) -> list[Brief | Group]:
        """Return the newest summary of each group, in order of names, for lists."""
        found = self._last(GROUPS, None, b"").items()
        read = (brief_of(it.value() or b"") or self._read(GROUPS, it) for _, it in found)
        return [it for it in read if it is not None]

    def assignments(self, group: str | None = None) -> dict[MemberKey, Assignment]:
        """Return what each member was told last, of one group or of all."""
        own = b"" if group is None else member_key(group, "")
        return self._newest(ASSIGNMENTS, group, own, read_member_key)

    def verdicts(self) -> dict[BrokerKey, Verdict]:
        """Return the newest verdict on each broker, in order of cluster and broker."""
        return self._newest(BROKERS, None, b"", read_broker_key)

    def history(self, name: str | None, since_ms: int | None = None) -> list[Noted]:
        """Return what happened to a group or a cluster, or to all; oldest first in each.

        What a batch that was repeated wrote again is told once.
        """
        own = None if name is None else name.encode()
        asked = (it for it in self._messages(HISTORY, name, since_ms) if own in {None, it.key()})
        return [
            Noted(_place(message), entry)
            for message in without_copies(asked, lambda it: (it.key(), it.value()))
            if (entry := self._read(HISTORY, message)) is not None
        ]

    def records(self, topic: Topic[R], group: str) -> list[R]:
        """Return what a topic that is keyed by group has of one, oldest first."""
        own = group.encode()
        read = (self._read(topic, it) for it in self._messages(topic, group) if it.key() == own)
        return [record for record in read if record is not None]

    def joins(self, groups: Iterable[str]) -> dict[str, list[Join]]:
        """Return how members joined these groups, the last time; for a week Kafka keeps it.

        However many groups there are, the topic is read once.
        """
        found: dict[str, dict[str, Join]] = {group: {} for group in groups}
        if not found:
            return {}
        own = {group.encode(): them for group, them in found.items()}
        for message in self._messages(MEMBERS, next(iter(found)) if len(found) == 1 else None):
            them = own.get(message.key() or b"")
            if them is not None and isinstance(said := self._read(MEMBERS, message), Join):
                them[said.member] = said
        return {group: list(them.values()) for group, them in found.items()}

    def hosts(self, cluster: str) -> list[Hosts]:
        """Return which brokers each topic of a cluster was last seen to have."""
        found: dict[str, Hosts] = {}
        for message in self._messages(LATENCY, cluster):
            if message.key() != cluster.encode() or b'"hosts"' not in (message.value() or b""):
                continue  # reports are many, and are not even decoded
            if isinstance(said := self._read(LATENCY, message), Hosts):
                found[said.topic] = said
        return list(found.values())

    def letters(self, since_ms: int | None = None) -> list[KeptLetter]:
        """Return the dead letters, oldest first, one of each record.

        A batch that is repeated writes them again, and a new checkpoint those of a week.
        """
        read = (
            (message, self._read(DEADLETTERS, message))
            for message in self._messages(DEADLETTERS, None, since_ms)
        )
        found = [
            (message.timestamp()[1], KeptLetter(_place(message), letter))
            for message, letter in read
            if letter is not None
        ]
        first = dict[object, KeptLetter]()
        for _, kept in sorted(found, key=lambda it: it[0]):
            it = kept.letter
            first.setdefault((it.topic, it.partition, it.offset, it.timestamp_ms), kept)
        return list(first.values())

    def ticks(self, since: Since) -> dict[int, tuple[int, Tick]]:
        """Return the last tick of each partition since then, and when it was appended.

        A partition without a leader has none.
        """
        found: dict[int, tuple[int, Tick]] = {}
        for message in self._messages(HEARTBEATS, None, since, led_only=True):
            if message.key() != TICK_KEY:
                continue
            record = self._read(HEARTBEATS, message)
            if isinstance(record, Tick):
                found[message.partition() or 0] = (message.timestamp()[1], record)
        return found

    def controllers(self) -> list[tuple[int, Controller]]:
        """Return when each controller has said something last, and what; in order of names."""
        last: dict[bytes, tuple[int, Controller]] = {}
        for message in self._messages(CONTROLLERS):
            key = message.key() or b""
            if message.value() is None:  # somebody has it forgotten
                last.pop(key, None)
            elif isinstance(said := self._read(CONTROLLERS, message), Controller):
                last[key] = message.timestamp()[1], said  # not what an operator asks it to do
        return [said for _, said in sorted(last.items(), key=lambda entry: entry[0])]

    def _messages(
        self,
        topic: Topic[R],
        key: str | None = None,
        since: Since | None = None,
        *,
        led_only: bool = False,
    ) -> Iterator[Message]:
        name = f"{self.settings.topics.prefix}{topic.name}"
        # An embedded Kafka that is started again may have another port.
        servers = bootstrap_servers(self.settings)
        asked = (self.settings, servers, [name])
        return messages(*asked, key=key, since=since, led_only=led_only)

    def _newest(
        self,
        topic: Topic[R],
        partition_of: str | None,
        prefix: bytes,
        name_of: Callable[[bytes | None], K],
    ) -> dict[K, R]:
        """Return the last record of each key that begins so; older ones are not even decoded."""
        found: dict[K, R] = {}
        for key, message in self._last(topic, partition_of, prefix).items():
            record = self._read(topic, message)
            if record is not None:
                try:
                    found[name_of(key)] = record
                except UndecodableRecord as error:
                    self._leave_out(topic, message, error)
        return found

    def _last(
        self, topic: Topic[R], partition_of: str | None, prefix: bytes
    ) -> dict[bytes, Message]:
        last: dict[bytes, Message] = {}
        for message in self._messages(topic, partition_of):
            key = message.key() or b""
            if message.value() is None:
                last.pop(key, None)
            elif key.startswith(prefix):
                last[key] = message
        return dict(sorted(last.items()))

    def _read(self, topic: Topic[R], message: Message) -> R | None:
        try:
            return decode(topic, message.value())
        except UndecodableRecord as error:
            self._leave_out(topic, message, error)
            return None

    def _leave_out(self, topic: Topic[R], message: Message, why: UndecodableRecord) -> None:
        self.unreadable.add(Unreadable(_place(message), topic.name, message.key(), str(why)))


def left_out(published: Published) -> Remark | None:
    """Say that records could not be read, and forget them; None: all could."""
    places = sorted(it.place for it in published.unreadable)
    if not places:
        return None
    topics = sorted({it.topic for it in published.unreadable})
    published.unreadable.clear()  # who watches looks again, and may find them mended
    from console.views.sentences import number, several

    it_is = "it is" if len(places) == 1 else "they are"
    text = (
        f"{number(len(places), 'record')} of trimtab's own topics cannot be read by this release, "
        f"and what {it_is} about may be missing here: {several(places)}"
    )
    return Remark(text, f"left out of {topics}")  # there are more whenever a newer release writes


def _place(message: Message) -> str:
    return f"{message.topic()}/{message.partition()}@{message.offset()}"


def at_once(
    work: Callable[[], T], patience_s: float | None = None, late: Callable[[], None] | None = None
) -> T:
    """Do what waits for Kafka so that Ctrl-C ends it at once.

    Kafka's client waits in C, where Python cannot interrupt it; so it waits in another thread.
    If it takes longer than ``patience_s``, ``late`` is called, in this thread.
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
    thread.join(patience_s)
    if late is not None and thread.is_alive():
        late()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
