"""A consumer's own `on_error`: it is told by two threads, and may fail on either."""

import asyncio

import pytest

from tests.builders.application import until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.unit.sdk.mistakes import a_consumer
from trimtab import CallbackError, Consumer, Member, MemberFailedError, ReplacedError


@pytest.mark.parametrize(
    ("hold", "told"),
    [([(0, 1)], ["tuple", "ReplacedError", "tuple"]), ([], ["ReplacedError"])],
)
def test_it_hears_of_a_younger_process_before_what_is_lost_by_that(
    hold: list[tuple[int, int]], told: list[str]
) -> None:
    """With queues and without: a program of callbacks alone would wait for ever."""
    kafka, heard = MemoryTransport(), list[str]()

    def hear(what: object) -> None:
        heard.append(type(what).__name__)

    member = Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=hear,
        on_lost=hear,
        on_error=hear,
    )
    member.start()
    kafka.assign(1, hold=hold)
    until(lambda: heard or (not hold and member.state == "joined"))
    younger = "9" * 13 + "-ffffffff"
    kafka.sent.append(kafka.joins[-1].model_copy(update={"incarnation": younger}))
    kafka.assign(2)
    until(lambda: len(heard) >= len(told))

    assert (told, ReplacedError) == (heard, type(member.failure))


def test_a_wrong_value_of_a_setting_ends_the_consumer() -> None:
    """kafka-python meets it when it connects, and would meet it at each try."""
    consumer = a_consumer(client="kafka-python", fetch={"fetch_max_wait_ms": "25"})
    with pytest.raises(MemberFailedError, match=r"ConfigurationError.*not supported"), consumer:
        for _ in consumer:
            pass


@pytest.mark.slow
@pytest.mark.parametrize("mistake", [SystemExit, asyncio.CancelledError])
def test_one_that_raises_ends_the_consumer(mistake: type[BaseException]) -> None:
    """Also if it is told by the thread that looks after the client: here, that Kafka is away."""
    kafka = MemoryTransport()

    def leave(_: Exception) -> None:
        raise mistake

    def work() -> None:
        with Consumer(
            "127.0.0.1:1",
            group=GROUP,
            topics=["orders"],
            transport=kafka,
            kafka={"log_level": 0},
            on_error=leave,
        ) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            until(lambda: consumer.member.failure)
            for _ in consumer:
                pass

    with pytest.raises(CallbackError):
        work()
