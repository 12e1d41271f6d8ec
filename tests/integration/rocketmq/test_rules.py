"""The rules of RocketMQ's consumers that obey: what a client is told, and when again."""

from collections.abc import Iterable
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow

RETRY_MS: Final = 50
"""RocketMQ 5 asks again after this, while it has not got a queue."""


def play(*lines: str, client: str = FIVE) -> list[str]:
    """What a consumer's rules answer to these, in order."""
    return answered(java("rocketmq.ClientRules", client), lines)


def told(times: Iterable[int], token: int = 1, *, begun: bool = False) -> list[str]:
    """A client asks at these times, and has begun on the queue or not."""
    return [f"told {token} {str(begun).lower()} {ms}" for ms in times]


def test_a_queue_that_the_client_cannot_begin_on_is_tried_once_a_second() -> None:
    """Half a second long without a pause: the lock that a former owner returns is had at once."""
    quick = told(range(0, 500, RETRY_MS))
    slow = told(range(500, 5_500, RETRY_MS))

    answers = play("granted 1", *quick, *slow)[1:]

    assert ["true"] * len(quick) == answers[: len(quick)]
    assert 5 <= answers[len(quick) :].count("true") <= 6


def test_a_queue_that_is_begun_or_granted_anew_is_told_at_once() -> None:
    """After many tries in vain."""
    vain = told(range(0, 1_000, RETRY_MS))
    begun = [*told([1_000], begun=True), *told([1_001, 1_002])]
    anew = ["granted 2", *told([1_000, 1_001], 2)]

    assert ["true"] * 3 == play(*vain, *begun)[-3:]
    assert ["true"] * 2 == play(*vain, *anew)[-2:]
    assert ["false", "true"] == play(*vain, "granted 1", *told([1_000, 1_901]))[-2:]


def test_a_queue_that_keeps_the_client_waiting_is_tried_with_a_pause() -> None:
    """Its broker is silent, and the client has one thread: it would do nothing else."""
    assert ["true", "false", "false", "true"] == play(*told([0, 5_000, 5_050, 5_950]))


@pytest.mark.parametrize("client", [FIVE, FOUR])
def test_a_queue_is_known_with_and_without_the_namespace(client: str) -> None:
    """What `poll` gives has topics without it."""
    told = play("whole shop orders", "whole shop shop%orders", client=client)

    assert ["shop%orders-broker-a-3 [shop%orders]"] * 2 == told


@pytest.mark.parametrize("client", [FIVE, FOUR])
def test_what_is_set_after_the_line_is_guarded_or_noticed(client: str) -> None:
    """A listener that is registered late is asked for nothing that is another's."""
    assert ["RECONSUME_LATER", "true", "false"] == play(
        "late concurrently", "offsets OURS", "offsets OTHERS", client=client
    )


@pytest.mark.parametrize("client", [FIVE, FOUR])
def test_an_orderly_message_that_is_refused_has_not_been_tried(client: str) -> None:
    """RocketMQ counts tries, whoever has the queue by then; after the last it is a dead letter."""
    assert ["ROLLBACK false"] == play("late orderly", client=client)


@pytest.mark.parametrize("client", [FIVE, FOUR])
def test_a_listener_of_both_kinds_works_in_order(client: str) -> None:
    """As without the line: RocketMQ looks whether it is orderly first."""
    assert ["ROLLBACK false"] == play("late both", client=client)


@pytest.mark.parametrize("client", [FIVE, FOUR])
def test_each_pull_says_what_is_subscribed(client: str) -> None:
    """A broker remembers the group's last heartbeat alone, which may be of another topic."""
    assert ["true"] == play("posts", client=client)


def test_a_consumer_that_cannot_be_a_member_is_given_nothing() -> None:
    """If the strategy threw, RocketMQ would keep its queues, and ask for ever."""
    assert ["[] WAITING"] == play("named 300")


def test_a_producer_that_does_not_start_is_not_waited_for_for_ever() -> None:
    """A failed start can be followed by no shutdown, and each attached one has a thread."""
    over = play(
        "producer RUNNING 9999",
        "producer CREATE_JUST 60",
        "producer START_FAILED 60",
        "producer CREATE_JUST 61",
        "producer START_FAILED 61",
        "producer SHUTDOWN_ALREADY 1",
    )

    assert ["false"] * 3 + ["true"] * 3 == over
