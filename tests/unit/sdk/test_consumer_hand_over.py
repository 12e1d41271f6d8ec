"""A consumer that gives up several queues at once, and has something in hand of one.

Its Kafka has no messages and does not answer; what it reads is put into its hand.
"""

from typing import TYPE_CHECKING, cast

from tests.builders.application import released_queues, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import Said
from tests.unit.sdk.test_consumer import a_consumer
from trimtab.consuming.reading import Reading

if TYPE_CHECKING:
    from confluent_kafka import Message


def test_what_is_in_hand_of_one_queue_keeps_no_other_from_its_heir() -> None:
    """Each is released as soon as nothing is waited for of it."""
    kafka = MemoryTransport()
    with a_consumer(kafka) as consumer:
        kafka.assign(1, hold=[(0, 1), (1, 2)])
        consumer.member.wait_until(lambda it: it.assignment)
        intake, grant = consumer._parts.intake, consumer.assignment[0]  # noqa: SLF001 - no Kafka
        intake.readings[queue(0)] = Reading(grant, 0)
        intake.hand.batch = [cast("Message", Said(0, queue(0)))]
        kafka.assign(2, give=[(0, 1), (1, 2)])
        until(lambda: released_queues(kafka))
        released = released_queues(kafka)

    assert [1] == [it.id for it in released]
