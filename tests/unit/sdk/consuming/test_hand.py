"""What is in hand: an index in a list, from which everything else is worked out."""

from hypothesis import given
from hypothesis import strategies as st

from tests.builders.sessions import queue
from trimtab.consuming.hand import Hand
from trimtab.consuming.reading import Reading
from trimtab.protocol import QueueRef
from trimtab.session import Grant

Message = tuple[QueueRef, int]
A, B = queue(0), queue(1)


def hand(*messages: Message, at: int = -1) -> Hand[Message]:
    """A hand with some messages."""
    held: Hand[Message] = Hand(lambda it: it)
    held.messages, held.at = list(messages), at
    return held


def test_what_was_handed_out_last_is_in_hand_and_what_follows_waits() -> None:
    """What came before it is done."""
    held = hand((A, 1), (B, 5), (A, 2), (B, 6), at=1)

    assert ({B: 5}, {A: 2, B: 6}) == (held.in_hand(), held.waiting())


def test_a_batch_is_in_hand_as_a_whole() -> None:
    """Of each queue its first message counts."""
    held = hand((A, 1), (B, 5), (A, 2))
    batch = held.hand_out(2)

    assert ([(A, 1), (B, 5)], {A: 1, B: 5}, {A: 2}) == (batch, held.in_hand(), held.waiting())


def test_what_is_on_its_way_waits_again() -> None:
    """The application has come back, and was not given it."""
    held = hand((A, 1), (A, 2), (A, 3), at=1)
    held.come_back()

    assert ({}, {A: 2}) == (held.in_hand(), held.waiting())


def test_what_did_not_reach_the_application_waits_again() -> None:
    """A message or a batch, before all others; but not what was lost meanwhile."""
    one = hand((A, 1), (A, 2), (B, 5), at=1)
    one.put_back()
    batch = hand((A, 1), (B, 5), (A, 2))
    batch.hand_out(2)
    batch.disown(B)
    batch.put_back()

    mixed = hand((A, 1), (A, 2), (A, 3))
    mixed.hand_out(2)
    mixed.at += 1
    mixed.put_back()

    assert ({}, [(A, 2), (B, 5)]) == (one.in_hand(), one.messages)
    assert ({}, [(A, 1), (A, 2)]) == (batch.in_hand(), batch.messages)
    assert ({}, [(A, 3)]) == (mixed.in_hand(), mixed.messages)


def test_what_is_dropped_leaves_what_is_in_hand() -> None:
    """The application works on it, whatever becomes of the queue."""
    held = hand((A, 1), (A, 2), (B, 5), at=0)
    held.keep({B})

    assert ({A: 1}, {B: 5}) == (held.in_hand(), held.waiting())


def test_what_was_lost_is_not_in_hand_under_another_grant() -> None:
    """Until the application has come back, and may be given the same again."""
    held = hand((A, 1), (B, 5), at=0)
    held.disown(A)
    lost = held.in_hand()
    held.come_back()
    held.at += 1

    assert ({}, {A: 1}) == (lost, held.in_hand())


class Application:
    """Takes messages, and remembers what it has finished."""

    def __init__(self) -> None:
        self.held = hand()
        self.fetched = {A: 0, B: 0}
        self.done: set[Message] = set()
        self.dropped: dict[QueueRef, int] = {}
        self._current: list[Message] = []

    def come_back(self, step: str) -> None:
        """Finish what is in hand, and ask for more."""
        held = self.held
        self.done.update(self._current)
        held.at += 1
        self._current = []
        if step == "advance":
            self._current = held.messages[held.at : held.at + 1]
            return
        held.come_back()
        if step == "batch":
            self._current = held.hand_out(3)
        else:
            more = [(it, at + n) for it, at in self.fetched.items() for n in range(2)]
            held.messages = [*held.messages, *more]
            self.fetched = {it: at + 2 for it, at in self.fetched.items()}

    def drop(self, gone: QueueRef) -> None:
        """Have a queue given up; it may come back."""
        if gone in (waiting := self.held.waiting()):
            self.dropped[gone] = min(waiting[gone], self.dropped.get(gone, waiting[gone]))
        self.held.keep({A, B} - {gone})

    def position(self, it: QueueRef) -> int:
        """Where others would have to begin."""
        end = min(self.fetched[it], self.dropped.get(it, self.fetched[it]))
        return min(end, self.held.waiting().get(it, end), self.held.in_hand().get(it, end))


@given(st.lists(st.sampled_from(["advance", "batch", "fetch", "A", "B"]), max_size=40))
def test_no_position_passes_what_is_in_hand_or_waits(steps: list[str]) -> None:
    """Whatever happens: all before a queue's position is done."""
    application = Application()
    for step in steps:
        if step in ("A", "B"):
            application.drop(A if step == "A" else B)
        else:
            application.come_back(step)
        for it in (A, B):
            assert {(it, at) for at in range(application.position(it))} <= application.done


def test_what_kafka_has_never_goes_back() -> None:
    """And as long as that is not known nothing is news."""
    reading = Reading(Grant(A, 1), 5)
    unknown = reading.is_news(9)
    reading.hear(7)
    reading.hear(6)

    assert (False, False, True) == (unknown, reading.is_news(7), reading.is_news(8))
