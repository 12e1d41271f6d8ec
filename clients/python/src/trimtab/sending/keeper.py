"""The keeper: everything that must not happen while a message is being sent.

One thread follows the verdicts, looks up who leads which partition, and reports what the brokers
did. Whatever it waits for, no message waits for it. Where it gets no answer, what was known last
stays true, verdicts expire, and the producer judges by its own table.

Started by `Producer`. Its one rule: nothing that happens here ends the thread.
"""

import logging
import threading
from dataclasses import dataclass
from typing import Final

from trimtab.clock import now_ms, steady_ms
from trimtab.errors import TransportError, UndecodableRecord
from trimtab.protocol import BROKERS, Report, decode, encode, read_broker_key
from trimtab.protocol.limits import DURATION_MS
from trimtab.repeats import Repeats
from trimtab.selector import BrokerSelector
from trimtab.sending.contract import Link, Sender, VerdictRecord
from trimtab.sending.dispatch import Leaders

_LOGGER: Final = logging.getLogger("trimtab")
POLL_MS: Final = 200
"""The longest wait for a verdict, and so for everything else that is due here."""
LEADERS_MS: Final = 10_000
"""Between two looks at who leads: a moved partition is sent to all the same (the client knows where
it is), only its deliveries count for the wrong broker for so long."""
RETRY_MS: Final = 1_000
"""Between two tries at what did not work."""
_LOOKS: Final = 60
"""So often a topic is looked for in vain, one after the other, until it is forgotten."""
REPEAT_MS: Final = 60_000
"""The same trouble is told again only after this long."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Who reports, of which cluster, how often."""

    name: str
    incarnation: str
    cluster: str | None
    """None: what Kafka calls itself."""
    window_ms: int


class Keeper:
    """The thread behind a producer. Without a link, it only looks who leads."""

    def __init__(
        self, sender: Sender, selector: BrokerSelector, link: Link | None, reporter: Reporter
    ) -> None:
        self.ready = threading.Event()
        """Set once leaders and verdicts are known, or that there are none."""
        self._sender = sender
        self._selector = selector
        self._link = link
        self._reporter = reporter
        self._cluster = reporter.cluster
        self._followed: str | None = None
        """The cluster whose verdicts come in."""
        self._sequence = 0
        self._look_at: dict[str, int] = {}
        """When each topic's leaders are to be looked at."""
        self._led: set[str] = set()
        """The topics whose leaders are known."""
        self._vain: dict[str, int] = {}
        """How often each of the others was not there."""
        self._blind_until = 0
        """Kafka does not answer; asking for each of many topics in vain would take too long."""
        self._open_at = 0
        self._knows_verdicts = link is None
        self._report_at = now_ms() + reporter.window_ms
        self._repeats = Repeats(REPEAT_MS)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-keeper", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Report what is left to be reported, and end."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        elif self._link is not None:
            self._link.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._turn()
            except BaseException:  # an `oauth_cb` may be cancelled, or exit
                _LOGGER.exception("the producer's background thread failed and continues")
                self._stopping.wait(RETRY_MS / 1_000)
        if self._link is not None:
            self._report(self._link)
            self._link.close()

    def _turn(self) -> None:
        self._look()
        link = self._link
        if link is None or (self._followed is None and not self._open(link)):
            self._stopping.wait(POLL_MS / 1_000)
        else:
            is_live = link.has_caught_up()
            for record in link.poll(POLL_MS):
                self._hear(record, steady_ms() if is_live else None)
            for trouble in link.troubles():
                self._tell(trouble)
            self._knows_verdicts = link.has_caught_up()
        if self._knows_verdicts and self._led >= set(self._sender.dispatch.topics()):
            self.ready.set()
        if link is not None and now_ms() >= self._report_at:
            self._report(link)

    def _look(self) -> None:
        """Look who leads the topics that wait longest, for as long as a verdict may wait."""
        began = now_ms()
        when = {it: self._look_at.get(it, 0) for it in self._sender.dispatch.topics()}
        for topic in sorted((it for it in when if when[it] <= began), key=when.__getitem__):
            now = now_ms()
            if now < self._blind_until or now >= began + POLL_MS or self._stopping.is_set():
                return
            self._look_for(topic, now)

    def _look_for(self, topic: str, now: int) -> None:
        """Look who leads a topic."""
        try:
            leaders = self._sender.leaders(topic)
        except TransportError as error:
            self._blind_until = self._look_at[topic] = now_ms() + RETRY_MS
            self._tell(f"the leaders of topic {topic} are unknown: {error}")
        except Exception as error:  # noqa: BLE001 - of a name that is none; the others go on
            self._look_at[topic] = now_ms() + LEADERS_MS
            self._tell(f"the leaders of topic {topic!r} are unknown: {error!r}")
        else:
            self._learn(topic, leaders, now)

    def _learn(self, topic: str, leaders: Leaders, now: int) -> None:
        """Enter who leads a topic; who sends to one that was forgotten enters it again."""
        self._sender.dispatch.learn(topic, leaders, steady_ms())
        if leaders.brokers:
            self._look_at[topic] = now + LEADERS_MS
            self._led.add(topic)
            self._vain.pop(topic, None)
            return
        self._look_at[topic] = now + RETRY_MS
        self._vain[topic] = self._vain.get(topic, 0) + 1
        if self._vain[topic] == _LOOKS:  # else it may have just been made, and be known soon
            self._sender.dispatch.forget(topic)
            self._led.discard(topic)
            del self._look_at[topic], self._vain[topic]

    def _open(self, link: Link) -> bool:
        """Begin to follow verdicts, if there are any to be followed."""
        if now_ms() < self._open_at:
            return False
        self._open_at = now_ms() + RETRY_MS
        try:
            self._cluster = self._cluster or self._sender.cluster()
            if link.open(self._cluster):
                self._followed = self._cluster
                return True
            self._knows_verdicts = True  # that there are none
            self._tell("no verdicts, only the local table decides: run `trimtab topics init`")
        except TransportError as error:
            self._tell(f"no verdicts, only the local table decides: {error}")
        return False

    def _hear(self, record: VerdictRecord, now: int | None) -> None:
        try:
            cluster, broker = read_broker_key(record.key)
            if cluster != self._followed:
                return
            if record.value is None:
                self._selector.forget(broker)
            else:
                self._selector.hear(decode(BROKERS, record.value), record.appended_ms, now)
        except UndecodableRecord as error:
            self._tell(f"a verdict cannot be read: {error}")

    def _report(self, link: Link) -> None:
        brokers = self._sender.dispatch.close_window()
        since_ms = now_ms() - self._report_at + self._reporter.window_ms
        window_ms = min(max(1, since_ms), DURATION_MS)  # this process may have been frozen
        self._report_at = now_ms() + self._reporter.window_ms
        if brokers and self._followed is not None:
            self._sequence += 1
            report = Report(
                reporter=self._reporter.name,
                incarnation=self._reporter.incarnation,
                sequence=self._sequence,
                window_ms=window_ms,
                brokers=brokers,
            )
            link.report(encode(report))

    def _tell(self, trouble: str) -> None:
        """Log trouble, but not the same one all the time."""
        if self._repeats.is_new(trouble, now_ms()):
            _LOGGER.warning("%s", trouble)
