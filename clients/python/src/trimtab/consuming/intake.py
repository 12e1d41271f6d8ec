"""The intake: what is read, what is in hand, and the thread that takes messages.

The application's thread takes some hundred messages at once and hands them out from a list. Between
two messages it looks at the clock once: is it before `due`? Until then the member is known to own
what is in the list. A thread that changes that sets `due` to zero, and the next message is not
handed out before `look` has dropped what must not be. So a process that was frozen notices first.

Used by `Consumer`; `handover` and `upkeep` work on the same state in turns. Its one rule: nothing
is handed out of a queue that is given up, lost, paused, or not owned by the clock.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from trimtab.callbacks import Owned
from trimtab.clock import now_s
from trimtab.consuming.bell import Bell
from trimtab.consuming.contract import Client, partition_of, where
from trimtab.consuming.fair_lock import FairLock
from trimtab.consuming.hand import Hand
from trimtab.consuming.leaders import Leaders
from trimtab.consuming.offsets import GroupOffsets
from trimtab.consuming.reading import Reading
from trimtab.protocol import QueueRef
from trimtab.session import Grant

if TYPE_CHECKING:
    from confluent_kafka import Message

AT_ONCE: Final = 500
"""Messages that are taken at once: enough that what is done once for all of them costs nothing."""
_LOOK_S: Final = 1.0
"""The longest time until the member is asked again what it owns."""


class Intake:
    """What one consumer reads. Everything but `stop` and `at` is done in turns."""

    def __init__(
        self, client: Client, offsets: GroupOffsets, owned: Owned, *, manual: bool
    ) -> None:
        self.client = client
        self.offsets, self.leaders = offsets, Leaders(offsets)
        self.owned = owned
        self.manual = manual
        self.turn = FairLock()
        self.hand: Hand[Message] = Hand(where, partition_of if manual else None)
        self.readings: dict[QueueRef, Reading] = {}
        self.paused: set[QueueRef] = set()
        self.sought: dict[QueueRef, int] = {}
        """Where to begin with queues that were sought before it was known where they begin."""
        self.decided: dict[QueueRef, tuple[Grant, int]] = {}
        """Where to begin with queues of which Kafka has nothing, and under which grant it was asked
        last: who loses one and gets it again would decide otherwise, later in its log."""
        self.due = 0.0
        """When to look before anything is handed out."""
        self.over = False
        """Whether nothing more is handed out."""
        self.gone = False
        """Whether the application works on nothing any more, or is not waited for."""
        self.steps = 0
        """Grows when the application asks for more, and by nothing else; `Hand.at` does between."""
        self.in_client = False
        """Whether the client is asked for messages now: it may run code of the application's own,
        which may hang, whatever was stopped or left meanwhile."""
        self.came_back = Bell()
        self.hands_out_again: Callable[[Grant, int], object] | None = None
        """Forgets what was kept of messages that come once more: of all from this offset on."""
        self._torn = False
        """Whether what the client gave last may be lost: a deserializer or signal handler of the
        application's own may raise before it is kept. Until it is read again the client's positions
        are too far."""
        self._unnoted: list[Message] = []
        """What has come, and more: but for their queues `Reading.next` is where reading is, from
        where on something may be lost then."""

    def stop(self) -> None:
        """Hand out nothing more. It takes no lock: a signal handler may call it."""
        self.over = True
        self.due = 0.0

    def give_up(self) -> None:
        """The application works on nothing any more: others get again what is in hand."""
        self.gone = True
        self.stop()
        self.came_back.set()

    def look(self) -> None:
        """Drop what must not be handed out; the first of the rest is on its way then."""
        with self.turn:
            self._look()
            self.hand.at = -1 if self.over else 0

    def fetch(self, timeout_s: float) -> None:
        """Everything handed out is done: take messages, and wait a moment if there are none."""
        with self.turn:
            self._come_back()
            if not self.over:
                self._begin_to_take()
                self._take(self._asked(self.client.take, AT_ONCE, timeout_s))

    def collect(self, most: int, timeout_s: float) -> int:
        """The same for batches: take more, up to so many, and say how many there are."""
        with self.turn:
            self._come_back()
            waiting = self.hand.messages
            if not self.over and len(waiting) < most:
                self._begin_to_take()
                more = most - len(self.hand.messages)
                self._take(self._asked(self.client.collect, more, timeout_s))
            return len(self.hand.messages)

    def hand_out(self, most: int) -> "list[Message]":
        """Hand out what was collected, up to so many."""
        with self.turn:
            if now_s() >= self.due:
                self._look()
            return [] if self.over else self.hand.hand_out(most)

    def put_back(self) -> None:
        """What was handed out last is not finished: it waits again, but for what was committed."""
        with self.turn:
            self._tell_again(self.hand.moved)
            self.hand.put_back()
            waiting = self.hand.waiting()
            self._tell_again(waiting)
            paused = {it: waiting[it] for it in waiting.keys() & self.paused & self.readings.keys()}
            if paused:  # it is fetched when that is over
                self.move(paused)
            self._look()

    def reading_of(self, queue: QueueRef, offset: int) -> Reading | None:
        """Under what a message was handed out, if that is valid still.

        Its queue may have been others' meanwhile, and be back under another one. It needs no turn.
        """
        found = self.readings.get(queue)
        if found is None or offset < found.began or self.hand.is_foreign(queue):
            return None
        return found

    def positions(self, readings: Collection[Reading]) -> dict[Grant, int]:
        """Where others would have to begin."""
        # In this order: the application may take the next one meanwhile, which then is in hand.
        next_ones, every = self.not_handed_out(readings), self.hand.in_hand()
        in_hand = {it: at for it, at in every.items() if not self.hand.comes_again(it, at)}
        for it in readings:
            it.next = max(it.next, in_hand.get(it.queue, next_ones[it.queue]))
        return {it.grant: self._position(it, in_hand, next_ones[it.queue]) for it in readings}

    def not_handed_out(self, readings: Collection[Reading]) -> dict[QueueRef, int]:
        """The next message of each."""
        going_on = [it.queue for it in readings if not it.ending]
        reached = self.client.positions(going_on) if going_on and not self._torn else {}
        waiting = self.hand.waiting()
        return {
            it.queue: it.next
            if it.ending
            else waiting.get(it.queue, max(it.next, reached.get(it.queue, 0)))
            for it in readings
        }

    def is_in_hand(self, reading: Reading) -> bool:
        """Whether the application has not finished with something of a queue that ends."""
        return self.hand.is_working_on(reading.queue)

    def is_uncommitted(self, reading: Reading) -> bool:
        """Whether something of a queue that ends was handed out, and not committed by hand."""
        return reading.done <= self.hand.last(reading.queue)

    def done(self, messages: "Iterable[Message]") -> tuple[list[Reading], bool]:
        """These are done, and so is what came before them; tell which count, and whether all do.

        They do until the queue is handed over, also once the loop is over.
        """
        last: dict[QueueRef, int] = {}
        for queue, offset in map(where, messages):
            last[queue] = max(offset, last.get(queue, offset))
        found = [it for queue, at in last.items() if (it := self.reading_of(queue, at))]
        following = self.not_handed_out(found)
        counted = [it for it in found if last[it.queue] < following[it.queue]]
        for reading in counted:
            at = last[reading.queue]
            reading.done = max(reading.done, at + 1)
            self.hand.finished[reading.queue] = max(at, self.hand.finished.get(reading.queue, -1))
        self.came_back.set()
        return counted, len(counted) == len(last)

    def decided_of(self, grants: Iterable[Grant]) -> dict[Grant, int]:
        """Where these begin, as far as Kafka was asked under them, and had nothing."""
        decided = ((it, self.decided.get(it.queue)) for it in grants)
        return {it: found[1] for it, found in decided if found and found[0] == it}

    def decide(self, grant: Grant, at: int) -> int:
        """Begin there, or earlier if that was decided before: Kafka has nothing of it."""
        _, before = self.decided.get(grant.queue, (grant, at))
        self.decided[grant.queue] = grant, min(at, before)
        return min(at, before)

    def heard(self, places: Mapping[Grant, int]) -> None:
        """Kafka has these."""
        with self.turn:
            for grant, offset in places.items():
                self.decided.pop(grant.queue, None)
                reading = self.readings.get(grant.queue)
                if reading is not None and reading.grant == grant:
                    reading.hear(offset)

    def comes_again(self, reading: Reading, at: int) -> None:
        """All from here on is handed out once more, and done once more with all that it sends."""
        if self.hands_out_again is not None:
            reading.go_back(at)
            self.hands_out_again(reading.grant, at)

    def move(self, places: Mapping[QueueRef, int]) -> None:
        """Read on somewhere else."""
        self.hand.keep(self.readings.keys() - places.keys())
        for queue, at in places.items():
            self.readings[queue].move(at)
            self.hand.go_back(queue, at)
        was, self._torn = self._torn, True  # if it is interrupted, all are moved once more
        self.client.end(places.keys())
        self.client.begin(places)
        self.client.pause(places.keys() & self.paused)
        self._torn = was

    def _position(self, reading: Reading, in_hand: Mapping[QueueRef, int], following: int) -> int:
        if self.manual:
            return reading.done
        return max(reading.done, in_hand.get(reading.queue, following))

    def _come_back(self) -> None:
        self.steps += 1
        self._tell_again(self.hand.moved)
        self.hand.come_back()
        self.came_back.set()

    def _tell_again(self, firsts: Mapping[QueueRef, int]) -> None:
        for queue, at in firsts.items():
            if (reading := self.readings.get(queue)) is not None:
                self.comes_again(reading, at)

    def _begin_to_take(self) -> None:
        """Read again what may be lost; note how far all has come by now."""
        if self._torn:
            places = {it.queue: it.next for it in self._going_on()}
            self._tell_again(places)  # what had waited, and was done since, comes again, too
            self.move(places)
        elif self._unnoted:
            following = self.not_handed_out(those := self._moved())
            for it in those:
                it.next = following[it.queue]
        self._torn, self._unnoted = True, []

    def _going_on(self) -> list[Reading]:
        return [it for it in self.readings.values() if not it.ending]

    def _moved(self) -> list[Reading]:
        """Those of which something has come: a client takes long to say where thousands are."""
        if len(self._unnoted) >= len(self.readings):
            return self._going_on()
        queues = {where(it)[0] for it in self._unnoted}
        return [it for it in map(self.readings.get, queues) if it and not it.ending]

    def _take(self, messages: "list[Message]") -> None:
        """Keep what has come, behind what waits."""
        self.hand.messages = self.hand.messages + messages if self.hand.messages else messages
        self._unnoted, self._torn = self.hand.messages, False

    def _look(self) -> None:
        """Nothing is in hand; what waits may have changed its owner."""
        self._come_back()
        asked = [it.grant for it in self.readings.values() if not it.ending]
        owned, firsts = self.owned(asked), self.hand.waiting()
        mine = {it.queue for it in owned.grants}
        for reading in self.readings.values():
            if reading.ending and reading.queue in firsts:  # it was on its way out when that began
                reading.next = min(reading.next, firsts[reading.queue])
        if not firsts.keys() <= mine:
            self.hand.keep(mine)
        # The client reads what is lost until the callback has its turn: nothing is taken unseen.
        is_lost = len(owned.grants) < len(asked)
        self.due = 0.0 if is_lost else min(owned.until, now_s() + _LOOK_S)
        if self.over:  # asked after that is written: `stop` takes no turn
            self.due = 0.0

    def _asked(
        self, ask: "Callable[[int, float], list[Message]]", most: int, timeout_s: float
    ) -> "list[Message]":
        """Have the client wait, for a slice at most; less than nothing would be for ever."""
        self.in_client = True
        try:
            return ask(most, max(0.0, min(timeout_s, self.client.slice_s)))
        finally:
            self.in_client = False
