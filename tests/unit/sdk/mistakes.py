"""Every error of the SDK, brought about: the texts that `docs/errors.md` shows, in its order.

Its one rule: it words nothing itself; all that it yields was said by the code.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.builders.application import until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE, queue
from tests.unit.sdk.consuming.in_memory import InMemory
from tests.unit.sdk.unguarded import unguarded
from tests.unit.sdk.unmoved import unmoved
from tests.unit.sdk.watched import World
from trimtab import (
    BrokerSelector,
    Consumer,
    Grant,
    Member,
    MemberFailedError,
    StuckError,
    TransportError,
    TrimtabError,
)
from trimtab.callbacks import Running
from trimtab.consuming import sends
from trimtab.consuming.commits import lost, unanswered
from trimtab.consuming.confluent_settings import consumer_settings
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.transactions import Transactions
from trimtab.consuming.unsent import Refusal, untaken
from trimtab.moving.company import Company
from trimtab.protocol import ASSIGNMENTS, MEMBERS, decode
from trimtab.relapses import Relapses
from trimtab.sending.kafka_python_clients import refuse_to_wait
from trimtab.session import Unheard
from trimtab.transports.contract import Event, Undelivered
from trimtab.transports.diagnosis import Fault, Said, interrupted, unreachable
from trimtab.transports.inspector import LastTick, Subscriber
from trimtab.transports.link import Link
from trimtab.transports.listener import Listener, Silence
from trimtab.transports.rights import denied
from trimtab.transports.topics import group_partition, unusable
from trimtab.watching import ABSENT_MS, UNANSWERED_MS

SERVER: Final = "broker-1:9092"
PREFIX: Final = "trimtab."
ANN: Final = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.username": "ann"}
LINK: Final = Link.of_confluent(SERVER, ANN)
PLAIN: Final = Link.of_confluent(SERVER, {})


def a_consumer(**options: Any) -> Consumer:  # noqa: ANN401 - some of them are nonsense
    """A consumer whose member is not at fault."""
    options |= {"group": GROUP, "topics": ["orders"], "transport": MemoryTransport()}
    return Consumer(SERVER, **options)


def raised(action: Callable[[], object]) -> str:
    """What an action says when it is refused."""
    with pytest.raises(TrimtabError) as refusal:
        action()
    return str(refusal.value)


def configuration(_: pytest.MonkeyPatch) -> Iterator[str]:
    """Arguments that make no sense."""
    wrong: Any = "orders"
    yield raised(lambda: Member(SERVER, group=GROUP, topics=wrong))
    yield raised(lambda: Member(SERVER, group=GROUP, topics=["orders"], session_timeout="10"))
    yield raised(lambda: Member(SERVER, group=GROUP, topics=["orders"], groupid="g"))  # type: ignore[call-arg]  # so it is refused
    yield raised(lambda: Consumer(SERVER, group=GROUP, topics=["orders"], mode="shared"))
    settings = {"bootstrap.servers": SERVER, "group.id": GROUP, "enable.auto.commit": True}
    yield raised(lambda: consumer_settings(settings))
    knows_none = SimpleNamespace(partitions_for_topic=lambda _: None)
    client = SimpleNamespace(_sender=threading.current_thread(), _metadata=knows_none)
    yield raised(lambda: refuse_to_wait(client, "audit", "with a key"))


def transport(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What is wrong with the way to Kafka, then with rights, with topics, and with the beat."""
    fit = Listener(SERVER, "SASL_SSL", ("PLAIN",))
    other = Listener(SERVER, "SASL_SSL", ("SCRAM-SHA-512",))
    for found, said in [
        (Listener(SERVER, None, silence=Silence.NO_HOST), None),
        (Listener(SERVER, None, silence=Silence.REFUSED), None),
        (Listener(SERVER, None, silence=Silence.UNREACHABLE), None),
        (Listener(SERVER, None, silence=Silence.NO_ANSWER), None),
        (Listener(SERVER, None, silence=Silence.NOT_KAFKA), None),
        (Listener(SERVER, "PLAINTEXT", ()), None),
        (other, Said(Fault.PASSWORD, "unsupported mechanism")),
        (fit, Said(Fault.PASSWORD, "Authentication failed")),
        (fit, Said(Fault.TLS, "certificate verify failed")),
        (fit, Said(Fault.OTHER, "inner:29092/1: Failed to resolve")),
        (fit, None),
    ]:
        monkeypatch.setattr("trimtab.transports.diagnosis.look", lambda _, it=found, **__: it)
        yield str(unreachable(LINK, said))
    yield interrupted(LINK, Said(Fault.PASSWORD, "Authentication failed"))
    yield interrupted(LINK, Said(Fault.OTHER, f"{SERVER}/1: Disconnected"))
    yield denied(LINK, PREFIX + MEMBERS.name, "Write")
    yield str(unusable([PREFIX + MEMBERS.name], [], PREFIX, PLAIN))
    counts = {PREFIX + it: 12 for it in ("members", "heartbeats", "releases")}
    yield raised(lambda: group_partition(GROUP, PREFIX, {**counts, PREFIX + "assignments": 6}))
    yield watched(lambda world: world.watch.hear(Undelivered(1, "Message timed out"), 0))
    relapses = Relapses()
    relapses.failed(f"{SERVER}/1: Disconnected", 0)
    yield relapses.told(Unheard(8_000, 0), 3_000)
    yield relapses.told(Unheard(0, 8_000), 60_000)
    yield from unmoved(monkeypatch)


def no_controller(_: pytest.MonkeyPatch) -> Iterator[str]:
    """Nobody answers: whether one ticks is not known, none ever has, one has stopped, one ticks."""

    def asked(tick: LastTick | None) -> str:
        def ask(world: World) -> None:
            world.answers.tick = tick
            world.join(0)
            world.look(0, UNANSWERED_MS - 1_000, UNANSWERED_MS)

        return watched(ask)

    for tick in (None, LastTick(None, 900), LastTick(312_400, 900), LastTick(800, 900)):
        yield asked(tick)


def no_topic(_: pytest.MonkeyPatch) -> Iterator[str]:
    """One of two is not there."""

    def look(world: World) -> None:
        world.answers.missing = frozenset({"orders"})
        world.look(0, ABSENT_MS)

    yield watched(look)


def shared_group(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Somebody subscribes: beside members, and beside consumers that are to move."""

    def look(world: World) -> None:
        world.answers.who = (Subscriber("rdkafka", "/10.0.0.7"),)
        world.look(0)

    yield watched(look)
    told: list[Exception] = []
    old = SimpleNamespace(client_id="rdkafka", host="/10.0.0.7")
    answer = Future[Any]()
    answer.set_result(SimpleNamespace(members=[old]))
    client = SimpleNamespace(describe_consumer_groups=lambda *_, **__: {GROUP: answer})
    monkeypatch.setattr("trimtab.moving.company.AdminClient", lambda *_, **__: client)
    company = Company({}, GROUP)
    for _ in range(2):
        company.others("now", told.append, list)
    yield from map(str, told)


def slow_callback(_: pytest.MonkeyPatch) -> Iterator[str]:
    """One with a time of its own, and another."""

    def running(name: str) -> Callable[[World], None]:
        def look(world: World) -> None:
            world.ears.at_work = Running(name, 0, 0)
            world.look(30_000)

        return look

    yield from (watched(running(it)) for it in ("on_revoked", "on_assigned"))


def watched(what: Callable[[World], object]) -> str:
    """What a member's watch tells of it."""
    world = World()
    world.answers.prefix = PREFIX
    world.answers.link = PLAIN
    what(world)
    (error,) = world.ears.heard
    return str(error)


def commit(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Another program subscribes; nobody answers; others have what is committed; all is full."""
    unknown = KafkaException(KafkaError(KafkaError.UNKNOWN_MEMBER_ID, "Broker: Unknown member"))
    for refusal in (RefusedError(unknown, is_subscribed=True), unanswered(), lost()):
        yield not_committed(refusal)
    grant, nobody = Grant(queue(), 1), cast("Any", SimpleNamespace(group_metadata=bool))
    fenced = Transactions(Wish(SERVER, GROUP, {}, {}, 2.0), nobody, nobody, nobody)
    fenced.begin(grant, 0, cast("Any", None))
    said = KafkaError(KafkaError.INVALID_RECORD, "Broker: Broker failed to validate record")
    poison = Refusal(sends.Send(17, {"topic": "invoices"}), said)
    fenced._registered[grant].met = untaken(grant, [poison], alone=True)  # noqa: SLF001 - as Kafka has it
    patch.setattr(sends, "_FULL", -1)
    for _ in range(2):
        yield raised(partial(fenced.keep, grant, sends.Send(1_041, {})))
    cut = fenced.sends.together(lambda: {grant: 1_042})[2]
    yield not_committed(RefusedError(TransportError(str(cut))))


def not_committed(refusal: RefusedError) -> str:
    """What is said of a message for whose commit Kafka, or its client, answers so."""
    reading = InMemory(manual=True)
    reading.grant(1)
    reading.offer(0)
    reading.kafka.refusal = refusal
    return raised(partial(reading.parts.commit, [reading.taken()]))


def undecodable(_: pytest.MonkeyPatch) -> Iterator[str]:
    """A record of somebody else's."""
    yield raised(lambda: decode(ASSIGNMENTS, b"hello"))


def no_queue(_: pytest.MonkeyPatch) -> Iterator[str]:
    """A topic without queues."""
    yield raised(lambda: BrokerSelector("5").select([], now=0))


def failed(_: pytest.MonkeyPatch) -> Iterator[str]:
    """What nobody has thought of; a value that kafka-python looks at when it connects."""

    class Broken(MemoryTransport):
        def poll(self, timeout_ms: int) -> list[Event]:
            raise ZeroDivisionError(timeout_ms)

    yield ended(Member(group=GROUP, topics=["orders"], transport=Broken()))
    wrong = a_consumer(client="kafka-python", fetch={"fetch_max_wait_ms": "25"})
    with pytest.raises(MemberFailedError) as failure, wrong:
        list(wrong)
    yield str(failure.value)


def callback(_: pytest.MonkeyPatch) -> Iterator[str]:
    """A callback that raises."""
    kafka = MemoryTransport()

    def begin(_: object) -> None:
        raise LookupError("no such table")

    yield ended(
        Member(group=GROUP, topics=["orders"], transport=kafka, on_assigned=begin),
        lambda: kafka.assign(1, hold=[(0, 1)]),
    )


def replaced(_: pytest.MonkeyPatch) -> Iterator[str]:
    """A younger life has the name."""
    kafka = MemoryTransport()

    def replace() -> None:
        life = kafka.joined()
        kafka.sent.append(life.model_copy(update={"incarnation": "9" * 13 + MINE[13:]}))
        kafka.assign(2, hold=[(0, 2)])

    member = Member(group=GROUP, topics=["orders"], transport=kafka, member_id="worker-1")
    yield ended(member, replace)


def ended(member: Member, what: Callable[[], object] = bool) -> str:
    """What a member says that ends by itself."""
    member.start()
    what()
    until(lambda: member.failure)
    member.stop("0s")
    return str(member.failure)


def stuck(_: pytest.MonkeyPatch) -> Iterator[str]:
    """A loop that does not come back."""
    told: list[Exception] = []
    consumer = a_consumer(kafka={"log_level": 0}, max_poll_interval="200ms", on_error=told.append)
    with pytest.raises(StuckError) as failure, consumer:
        until(lambda: told)
    yield str(failure.value)


MADE: Final[dict[str, Callable[[pytest.MonkeyPatch], Iterator[str]]]] = {
    "UndecodableRecord": undecodable,
    "ConfigurationError": configuration,
    "TransportError": transport,
    "NoControllerError": no_controller,
    "NoTopicError": no_topic,
    "SharedGroupError": shared_group,
    "SlowCallbackError": slow_callback,
    "GuardError": unguarded,
    "CommitError": commit,
    "NoQueueError": no_queue,
    "MemberFailedError": failed,
    "CallbackError": callback,
    "StuckError": stuck,
    "ReplacedError": replaced,
}
