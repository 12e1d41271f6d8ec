"""A consumer that follows its grants on a real broker: what it hands out, stops and commits."""

import threading

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.readings import PATIENCE_S, Reading
from trimtab import ConfigurationError, Grant, QueueRef
from trimtab.callbacks import Positions
from trimtab.kafka import ConsumerBinding
from trimtab.session import Profile

pytestmark = [
    pytest.mark.kafka,
    # kafka-python 3.0 reads its schemas in a way that Python 3.11 deprecates.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
]


def test_a_binding_stops_between_two_messages_and_says_where(reading: Reading, work: str) -> None:
    """The position is committed and returned; the other queues go on where they were."""
    first, second = QueueRef(work, "", 0), QueueRef(work, "", 1)
    reading.binding.on_assigned((Grant(first, 1), Grant(second, 1)))
    before = reading.read(4)
    positions = reading.binding.on_revoked((Grant(first, 1),))
    handled = len([partition for partition, _ in before if partition == 0])
    after = reading.read(1 + handled)

    assert handled == (positions[first] or 0)
    assert handled == max(0, reading.committed(first))
    assert {1} == {partition for partition, _ in after}
    assert sorted({*before, *after}) == sorted([*before, *after])


def test_a_binding_commits_nothing_for_what_was_lost(reading: Reading, work: str) -> None:
    """Somebody else may have gone further already; and it does not wait to be told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    messages = reading.take(10)
    reading.lost = {first}
    assert reading.binding.done(*messages)
    reading.binding.commit()
    assert {} == reading.binding.on_revoked((first,))
    reading.binding.on_lost((first,))

    assert (0, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_binding_hands_out_nothing_of_what_was_lost(reading: Reading, work: str) -> None:
    """A process that was suspended finds out before it acts, not when it is told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    reading.take(1)
    reading.lost = {first, second}

    reading.waits_for(lambda: True)
    assert reading.binding.poll(0.5) is None


def test_what_is_lost_may_have_been_given_up_a_moment_ago(reading: Reading, work: str) -> None:
    """The member fenced itself while the application was letting go."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    reading.read(1)
    reading.binding.on_revoked((first,))
    reading.binding.on_lost((first, second))
    reading.binding.on_assigned((Grant(first.queue, 2), Grant(second.queue, 2)))

    assert 9 <= len(reading.read(9))


def test_what_is_in_hand_is_never_committed(reading: Reading, work: str) -> None:
    """An application that collects loses nothing when it is killed, whatever it has polled."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    messages = reading.take(10)
    reading.binding.commit()
    collected = reading.committed(first.queue), reading.committed(second.queue)
    later = [it for it in messages if (it.offset() or 0) > 0]
    reading.binding.done(*later)
    reading.binding.commit()
    disordered = reading.committed(first.queue), reading.committed(second.queue)
    reading.binding.done(*messages)
    reading.binding.commit()

    assert ((0, 0), (0, 0)) == (collected, disordered)
    assert (5, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_hand_over_waits_for_what_is_in_hand(reading: Reading, work: str) -> None:
    """However long the member lets it; the application is asked, and gets no more of it."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first,))
    messages = reading.take(2)
    handed: list[Positions] = []
    ending = threading.Thread(target=lambda: handed.append(reading.binding.on_revoked((first,))))
    ending.start()
    reading.waits_for(lambda: reading.binding.waiting)
    reading.waits_for(lambda: True)
    assert ([], True) == (handed, ending.is_alive())
    reading.binding.done(*messages)
    ending.join(PATIENCE_S)

    assert [{first.queue: 2}] == handed
    assert (2, False) == (reading.committed(first.queue), reading.binding.waiting)
    reading.binding.on_assigned((second,))
    assert {1} == {partition for partition, _ in reading.read(5)}


def test_a_hand_over_that_is_overdue_waits_no_longer(reading: Reading, work: str) -> None:
    """The member has lost the queue: the only bound there is."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.binding.on_assigned((first,))
    messages = reading.take(2)
    handed: list[Positions] = []
    ending = threading.Thread(target=lambda: handed.append(reading.binding.on_revoked((first,))))
    ending.start()
    reading.lost = {first}
    ending.join(PATIENCE_S)

    assert ([{}], False) == (handed, reading.binding.done(*messages))
    assert 0 == reading.committed(first.queue)


def test_asking_for_the_next_may_say_that_the_last_is_done(kafka: EmbeddedKafka, work: str) -> None:
    """Only if that was chosen; what was polled last is still in hand."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading = Reading(kafka.bootstrap_servers, work, poll_means_done=True)
    with reading.binding as binding:
        binding.on_assigned((first,))
        assert 3 == len(reading.take(3))
        binding.commit()
        assert 2 == reading.committed(first.queue)


def test_what_is_given_back_is_with_the_heir(kafka: EmbeddedKafka, work: str) -> None:
    """The application has ended with messages in hand: nothing of them is committed."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading = Reading(kafka.bootstrap_servers, work)
    with reading.binding as binding:
        binding.on_assigned((first,))
        reading.read(2)
        reading.take(2)
        assert binding.is_read_here()
        binding.give_back()
        assert {first.queue: 2} == binding.on_revoked((first,))
        assert binding.poll(0.1) is None
    assert 2 == reading.committed(first.queue)


def test_a_binding_serves_one_member() -> None:
    """Of its own group, and none without being made for it."""
    settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "log_level": 0}
    with ConsumerBinding(settings) as binding:
        with pytest.raises(ConfigurationError, match=r"^binding: make a member with it"):
            binding.on_assigned((Grant(QueueRef("work", "", 0), 1),))
        binding.attach(Profile(group="billing", member="m", topics=("t",)), frozenset)
        with pytest.raises(ConfigurationError, match=r"^binding: it follows a member already"):
            binding.attach(Profile(group="billing", member="n", topics=("t",)), frozenset)


def test_a_mistaken_setting_is_named() -> None:
    """When the binding is made."""
    settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "no.such.setting": 1}
    with pytest.raises(ConfigurationError, match=r"^settings: .*no\.such\.setting"):
        ConsumerBinding(settings)
