"""Transactions: commits that Kafka itself refuses to whoever had the queue before.

Each queue has a transactional id of its own, `trimtab:<group>:<topic>:<partition>`. The owner
of a queue registers under that id; from then on Kafka takes nothing from earlier owners, not
even what was on its way. In one transaction go a position and all sends of the messages before it.

A life that was frozen may register late, and so shut out the owner. But first of all an owner
writes its token beside the position, and any that registers reads that: with a lower token it
writes nothing, and the owner registers again. So of two the younger grant wins.

It costs a client for each queue, and several requests for each commit. What became of a transaction
without an answer is not known: its client is let go of, and the next one to register learns it.

Used in place of `Commits` by `handover`, `beginning` and `upkeep`. Its one rule: nothing leaves the
process before its message is done.
"""

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Producer

from trimtab.callbacks import Owned
from trimtab.clock import now_s
from trimtab.consuming.attempt import LARGEST_BATCH, Attempt, Registered, result_of
from trimtab.consuming.commits import Places, lost, unanswered
from trimtab.consuming.confluent import ConfluentClient, place
from trimtab.consuming.confluent_settings import client_settings, transaction_settings
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.offsets import signature
from trimtab.consuming.sends import MOST, Piece, Send, Sends, pieces
from trimtab.consuming.unsent import named
from trimtab.errors import TransportError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.session import Grant
from trimtab.transports.confluent_discarding import discard

_AT_ONCE: Final = 8
"""Transactions at the same time: they wait for Kafka most of theirs."""
_PATIENCE_S: Final = 5.0
"""Of one step. What is sent late is refused, so this need not be as short as that of `Commits`."""
_LARGEST: Final = 1_000_000
"""librdkafka's default of `message.max.bytes`."""
_LARGER: Final = "send: what was too large has passed: a client with larger batches comes at once"
_LOOK_S: Final = 0.05
"""How late a wait notices that a queue is lost: as late as the member's thread."""


class Transactions:
    """Writes positions, each queue's in transactions of its own."""

    def __init__(
        self,
        wish: Wish,
        owned: Owned,
        written: Callable[[Places], None],
        client: ConfluentClient,
    ) -> None:
        self.sends = Sends()
        self._settings = transaction_settings(client_settings(wish), _PATIENCE_S)
        self._batch = int(self._settings.get("batch.size", LARGEST_BATCH))
        self._group = wish.group
        self._owned, self._written = owned, written
        self._group_metadata = client.group_metadata()
        self._registered: dict[Grant, Registered] = {}
        self._pool = ThreadPoolExecutor(_AT_ONCE, "trimtab-transactions")
        self._refused: set[Grant] = set()
        """Those that failed to register when they were tried last."""
        self._soon: dict[Grant, Future[None]] = {}
        """What nobody waits for."""

    @property
    def largest(self) -> int:
        """The most bytes that one message to be sent may have."""
        return int(self._settings.get("message.max.bytes", _LARGEST))

    @property
    def lapsed(self) -> list[Grant]:
        """Those that have to register again before anything more is committed."""
        every = list(self._registered.items())
        # During its turn it is still being found out what the next client has to do otherwise.
        return [it for it, one in every if one.producer is None and not one.turn.locked()]

    def register(
        self, grants: Collection[Grant]
    ) -> tuple[dict[Grant, Producer], RefusedError | None]:
        """Have Kafka refuse those who had these before; return for which it does, and what fails.

        It waits for Kafka, and so takes nobody's turn. Nothing is written before `begin`: first it
        must be known what Kafka has, and under which token. When one fails, those that have not
        begun are left for the next time: Kafka may hang, and each of them would wait for that. They
        come first then, so that those that fail again and again keep no other back.

        Take out of the first what begins, and `decline` the rest: what fails remembers it.
        """
        self._refused.intersection_update(grants)
        turns = sorted(grants, key=self._refused.__contains__)
        asked = {it: self._pool.submit(self._register, it) for it in turns}
        ours, failed = dict[Grant, Producer](), None
        for grant, answer in asked.items():
            if answer.cancelled():
                continue
            try:
                ours[grant] = result_of(answer)  # it has a limit
            except RefusedError as error:
                failed = error
                self._refused.add(grant)
                for it in asked.values():
                    it.cancel()
        asked.clear()
        return ours, failed

    @staticmethod
    def decline(ours: dict[Grant, Producer]) -> None:
        """Let go of the clients of those that do not begin."""
        held: list[object] = [*ours.values()]
        ours.clear()
        discard(held)

    def begin(self, grant: Grant, at: int, producer: Producer) -> None:
        """Write for this from now on; Kafka has this position, and all effects before it."""
        self.sends.written(grant, at)
        before = self._registered.get(grant)
        self._registered[grant] = now = Registered(producer, at, batch=self._batch)
        if before is not None:
            now.met, now.most = before.met, before.most
            now.batch, now.over = before.batch, before.over

    def enter(self, grant: Grant, at: int) -> None:
        """Its log was cut, or is another one: register anew, and write all from there on."""
        self.sends.read_again(grant, at)
        if (before := self._registered.get(grant)) is not None:
            self._registered[grant] = Registered(None, min(at, before.at), batch=self._batch)
            held: list[object] = [before]
            del before
            discard(held)

    @property
    def reached(self) -> dict[Grant, int]:
        """The last position of each that Kafka is known to have of us."""
        return {it: one.at for it, one in list(self._registered.items())}

    def let_go(self, grants: Collection[Grant]) -> None:
        """Write nothing more of these."""
        for grant in grants:
            self._registered.pop(grant, None)
            self.sends.drop(grant)

    def writes(self, grant: Grant) -> bool:
        """Whether anything of this is written still."""
        return grant in self._registered

    def keep(self, grant: Grant, send: Send) -> bool:
        """Have this written when its message is committed; tell whether it is not too late.

        Raises:
            CommitError: There is too much that Kafka does not take: nothing of that message is
                committed, nor of those after it, until it is read again.
        """
        found, text = self._registered.get(grant), None
        if found is not None and found.met is not None:
            text = f"send: too much waits for a commit of {named(grant)}: {found.met}"
        return self.sends.add(grant, send, text)

    def write(self, look: Callable[[], Places]) -> bool:
        """Write what there is then, and wait until Kafka has it, or another member has the queues.

        Returns:
            Whether all of that was ours to write.

        Raises:
            RefusedError: Kafka did not take it, or did not say so in a few seconds; or a send of
                before was refused, and no position passes its message.
        """
        every, places, sent, cut = self._send(look)
        late = now_s() + 2 * _PATIENCE_S  # one of before may have to end first
        while not all(it.done() for it in sent.values()):
            if self._owned(places).grants != places.keys():
                raise lost()
            if now_s() >= late:
                raise unanswered()
            wait(sent.values(), _LOOK_S)
        for it in sent.values():
            result_of(it)
        if cut is not None:
            raise _known(cut)
        return places.keys() == every.keys()

    def write_soon(self, look: Callable[[], Places]) -> None:
        """Write what there is, if nothing is so already; `hear` tells what went wrong."""
        if not self._soon:
            self._soon = self._send(look)[2]

    def hear(self) -> None:
        """See what has become of what nobody waited for; what went to others is theirs to write.

        Raises:
            RefusedError: Kafka did not take some of it. It is written again.
        """
        if all(it.done() for it in self._soon.values()):
            done, self._soon = self._soon, {}
            for grant in self._owned(done).grants:
                result_of(done[grant])

    def withdraw(self, _: Collection[Grant]) -> None:
        """Nothing has to be taken back: Kafka refuses it once another owner has begun."""

    def take_back(self) -> None:
        """Nor here."""

    def close(self) -> None:
        """End."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._registered.clear()

    def _send(
        self, look: Callable[[], Places]
    ) -> tuple[Places, Places, dict[Grant, Future[None]], str | None]:
        """Send what is owned, of all there is; say why it is less than was asked for."""
        every, effects, cut = self.sends.together(look)
        owned = self._owned(every)
        places = {it: every[it] for it in owned.grants}
        sent = {
            it: self._pool.submit(self._transact, it, at, effects[it], owned.life)
            for it, at in places.items()
        }
        return every, places, sent, cut

    def _register(self, grant: Grant) -> Producer:
        name = f"trimtab:{self._group}:{grant.queue.topic}:{grant.queue.id}"
        before = self._registered.get(grant)
        batch = {} if before is None else {"batch.size": before.batch}
        # Without an `error_cb` what has fenced a client off is raised amid the reports of records.
        more = {**batch, "error_cb": bool, "transactional.id": name}
        producer = Producer({**self._settings, **more}, logger=KAFKA_LOGGER)
        try:
            producer.init_transactions(_PATIENCE_S)
        except BaseException:
            held: list[object] = [producer]
            del producer  # whoever keeps the error keeps this frame
            discard(held)
            raise
        return producer

    def _transact(self, grant: Grant, to: int, effects: list[Send], life: str) -> None:
        """Write positions, each with the sends of all messages before it.

        Whoever waits for the turn may be overtaken by a later one: then all of it is there.
        """
        registered = self._registered.get(grant)
        if registered is None:
            raise self.fenced_off(grant)
        with registered.turn:
            for at, sends in pieces(to, effects, lambda: registered.most):
                if at < registered.at:
                    continue
                self._attempt(grant, registered, Piece(at, sends), life)
                registered.at, registered.met = at, None
                registered.most = min(2 * registered.most, MOST)
                if self._registered.get(grant) is registered:  # or its log was cut meanwhile
                    self.sends.written(grant, at)
                    self._written({grant: at})
            if registered.is_over:
                registered.over = -1
                if registered.batch < self._batch:  # only another client has larger ones
                    registered.batch, registered.why = self._batch, _LARGER
                    held: list[object] = [registered.producer]
                    registered.producer = None
                    discard(held)

    def _attempt(self, grant: Grant, registered: Registered, piece: Piece, life: str) -> None:
        """Write one piece, or let go of the client, and say why."""
        if registered.producer is None:  # to the one before; then it is asked for
            raise _known(registered.why) if registered.why else unanswered()
        fresh = [it for it in piece.sends if it.offset >= registered.at]
        position = place(grant.queue, piece.at, signature(grant.token, life))
        attempt = Attempt(registered.producer, fresh, registered.batch)
        try:
            attempt.write(position, self._group_metadata, _PATIENCE_S)
        except BaseException as error:
            registered.producer = None
            registered.why = attempt.end(grant)
            registered.met = registered.why or str(error)
            registered.batch, registered.most = attempt.next_batch, max(1, len(fresh) // 2)
            registered.over = max(attempt.over, registered.over)
            if registered.why is None:
                raise
            raise _known(registered.why) from error

    @staticmethod
    def fenced_off(grant: Grant) -> RefusedError:
        """Somebody else may write of this queue, and we may not."""
        said = f"{named(grant)} is another owner's: nothing is committed with token {grant.token}"
        fenced = KafkaError(KafkaError._FENCED, said)  # noqa: SLF001 - its public name
        return RefusedError(KafkaException(fenced))


def _known(why: str) -> RefusedError:
    return RefusedError(TransportError(why))
