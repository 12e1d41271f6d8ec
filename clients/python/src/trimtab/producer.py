"""A producer that avoids bad brokers: those it finds itself, and those that others reported.

    with Producer("localhost:9092", topics=["orders"]) as producer:
        producer.send("orders", b"a message", on_delivery=settled)

Messages without a key go round the partitions whose leaders are fit, and to another one when a
broker does not take them in time. Messages with a key go where the client's own partitioner sends
them. What the brokers did is reported to the controller, whose verdicts are known before the first
message goes. How: `trimtab.sending`.
"""

import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict
from weakref import WeakSet

from pydantic import TypeAdapter, ValidationError

from trimtab.clock import steady_ms, wall_ms
from trimtab.durations import milliseconds
from trimtab.errors import ConfigurationError
from trimtab.options import names, place_of_kafka, place_of_servers
from trimtab.protocol import DEFAULT_PREFIX, UndecodableRecord, read_group_key
from trimtab.protocol.limits import MIN_TIMEOUT_MS
from trimtab.protocol.names import Label
from trimtab.selector import BrokerSelector, SelectorState
from trimtab.sending import choose
from trimtab.sending.contract import Place, Send
from trimtab.sending.keeper import Keeper, Reporter
from trimtab.sending.patience import Patience
from trimtab.session import incarnation
from trimtab.transports import Client

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on

_LABEL: Final = TypeAdapter[str](Label)
_WINDOW_MS: Final = 10_000
"""The jury's sweep, if it was not set: no two longer windows need end in the same one."""
_END_S: Final = 5.0
"""For the keeper to send its last report; it waits for metadata at most."""
_FORKED: Final = (
    "the producer was made before this process was forked, and its threads are in the other one: "
    "make it after the fork"
)


class ProducerOptions(TypedDict, total=False):
    """Keyword arguments of a producer; none is needed."""

    topics: Sequence[str]
    """The topics to look up before the first send. Default: each when it is first sent to."""
    deadline: str | float
    """Time until a message is settled: written or failed. Default: 30 s."""
    tries: int
    """Brokers that may be tried in that time. Default: 3."""
    reporter: str
    """The name to report under. Default: the host's name and a random part."""
    cluster: str
    """The cluster's name in reports and verdicts. Default: the id that Kafka gave itself."""
    central: bool
    """Whether to report, and to follow verdicts. Default: yes."""
    report_every: str | float
    """The window that a report sums up. Default: 2 s."""
    control: str
    """The Kafka that has trimtab's topics. Default: the one that is sent to."""
    prefix: str
    """What the names of trimtab's topics begin with. Default: "trimtab."."""
    client: Client
    """The Kafka client, "confluent" or "kafka-python". Default: the first that is installed."""
    kafka: Mapping[str, Any]
    """Options for that client, passed through untouched: security, batching and the like."""


class Producer:
    """Sends messages. The options are those of `ProducerOptions`."""

    send: Send
    """Hand a message to the client. It waits only for what the client waits for."""

    def __init__(self, bootstrap_servers: str, **options: "Unpack[ProducerOptions]") -> None:
        """Say where Kafka is. Before `start` nothing is reported, and nobody asks who leads.

        Raises:
            ConfigurationError: An option makes no sense, or no Kafka client is installed.
        """
        _refuse_unknown(options)
        self.reporter = options.get("reporter") or f"{socket.gethostname()}-{secrets.token_hex(4)}"
        reporter = _reporter(self.reporter, options)
        patience = Patience.of(
            milliseconds("deadline", options.get("deadline", "30s")), options.get("tries", 3)
        )
        self._deadline_s = patience.deadline_ms / 1_000
        self._selector = BrokerSelector("5", reporter=self.reporter)
        servers, kafka = place_of_kafka(bootstrap_servers, options.get("kafka", {}))
        library = choose(options.get("client"))
        self._sender = library.make_sender(Place(servers, kafka), self._selector, patience)
        self.send = self._sender.send
        for topic in names("topics", options.get("topics", ())):
            self._sender.dispatch.expect(topic)
        control = Place(place_of_servers("control", options.get("control", servers)), kafka)
        prefix = options.get("prefix", DEFAULT_PREFIX)
        link = library.make_link(control, prefix) if options.get("central", True) else None
        self._keeper = Keeper(self._sender, self._selector, link, reporter)
        self._process, self._is_used = os.getpid(), False
        _MADE.add(self)

    @property
    def state(self) -> SelectorState:
        """What decides now: `local`, `central`, or `stale` (old verdicts, so the local table)."""
        return self._selector.state(steady_ms())

    def is_available(self, broker: str) -> bool:
        """Whether messages without a key go to a broker (its id, in digits)."""
        return self._selector.is_available(broker, steady_ms())

    def start(self, timeout: str | float = "5s") -> None:
        """Begin, and wait until leaders and verdicts are known, or until the timeout.

        Then messages can be sent in any case; the own table decides until verdicts come.

        Raises:
            ConfigurationError: It was started or closed before, or made in another process.
        """
        if os.getpid() != self._process:
            raise ConfigurationError(f"start: {_FORKED}")
        if self._is_used:
            raise ConfigurationError(
                "start: a producer is started once, and not after its end; make a new one"
            )
        self._is_used = True
        self._sender.start()
        self._keeper.start()
        self._keeper.ready.wait(milliseconds("timeout", timeout) / 1_000)

    def flush(self, timeout: str | float = "30s") -> int:
        """Wait until all sent messages are settled; return how many are not.

        Zero is exact. With confluent-kafka another number may be too high, by what librdkafka is
        about to log. What `close` returns is exact.

        Raises:
            ConfigurationError: A callback asks, and they are what is waited for.
        """
        patience = milliseconds("timeout", timeout)
        if os.getpid() != self._process:
            return 0
        self._sender.here.refuse("flush")
        return self._sender.flush(patience / 1_000)

    def close(self, timeout: str | float | None = None) -> int:
        """Settle everything, within the deadline by default, and end.

        What is not settled then is given up, and its callbacks hear of it. Returns how much it was.
        In a fork it does nothing: the messages are the other process's.

        Raises:
            ConfigurationError: A callback asks, and they are what is waited for.
        """
        patience = milliseconds("timeout", self._deadline_s if timeout is None else timeout)
        if os.getpid() != self._process:
            return 0
        self._sender.here.refuse("close")
        self._is_used = True
        try:
            return self._sender.close(patience / 1_000)
        finally:
            self._keeper.stop(_END_S)
            self._sender.disconnect()
            self.send = self._sender.send

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_MADE: Final[WeakSet[Producer]] = WeakSet()
"""Those of this process, and after a fork those of the other one."""


def _forked() -> None:
    """Have those refuse messages: no thread of theirs is here."""
    for producer in list(_MADE):
        producer._sender.dispatch.turns.shut(f"send: {_FORKED}")  # noqa: SLF001 - of this module


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked)


def _refuse_unknown(options: ProducerOptions) -> None:
    unknown = options.keys() - ProducerOptions.__annotations__.keys()
    if unknown:
        raise ConfigurationError(f"{min(unknown)}: a producer has no such option")


def _reporter(name: str, options: ProducerOptions) -> Reporter:
    """Check what the controller would refuse."""
    window_ms = milliseconds("report_every", options.get("report_every", "2s"), MIN_TIMEOUT_MS)
    if window_ms > _WINDOW_MS:
        message = "report_every: it must be 10 s at most: the controller counts votes so often"
        raise ConfigurationError(message)
    cluster = options.get("cluster")
    try:
        _LABEL.validate_python(name)
        if cluster is not None:
            read_group_key(cluster.encode())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigurationError(f"reporter: {first['msg']}") from None
    except UndecodableRecord as error:
        raise ConfigurationError(f"cluster: {error.detail}") from None
    return Reporter(name, incarnation(wall_ms(), secrets.randbits(32)), cluster, window_ms)
