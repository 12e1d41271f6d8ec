"""Nothing is lost: applications that collect, freeze, fail and leave, with a real controller."""

import signal
import time
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.accounts import COLLECTED, FATAL, PATIENCE_S, Account, Style, ends
from tests.integration.conftest import SESSION_S
from tests.integration.published import Published
from tests.integration.watched_offsets import Offsets
from trimtab.protocol import MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8
Arguments = Callable[[str], dict[str, object]]


def test_what_was_collected_and_not_written_is_not_lost(
    account: Account, arguments: Arguments
) -> None:
    """An application collects 500 messages and is killed with 300 in hand, long after a commit."""
    account.produce(2 * COLLECTED + 300)
    with account.worker(arguments("a"), "collect") as a:
        account.wait_until(lambda: len(account.effects) == 2 * COLLECTED)
        time.sleep(1)  # ten commit intervals
        a.kill()
    assert 300 == len(account.lost)
    with account.worker(arguments("b"), "each") as b:
        account.wait_until(lambda: not account.lost)
        assert 0 == ends(b)


def test_a_frozen_worker_moves_nothing_back(
    kafka: EmbeddedKafka, group: str, topic: str, account: Account, arguments: Arguments
) -> None:
    """Its heir goes on meanwhile; when it thaws it commits nothing of what it had in hand.

    It is frozen in a handler when all else is committed: what it was sending at that moment would
    be sent later, and nobody can take that back (``docs/protocol.md``).
    """
    account.produce(QUEUES)
    with (
        account.worker(arguments("a"), "hold") as a,
        account.worker(arguments("b"), "each") as b,
        Offsets(kafka.bootstrap_servers, group, topic, QUEUES) as offsets,
    ):
        account.wait_until(lambda: account.workers() == {"a", "b"}, meanwhile=10)
        account.wait_until(lambda: not account.lost)
        account.wait_until(lambda: sum(offsets.latest.values()) == account.produced)
        account.hold()
        held = account.produce(QUEUES)
        account.wait_until(lambda: "a" in {by for _, _, it, by in account.effects if it in held})
        a.send_signal(signal.SIGSTOP)
        frozen = len(account.effects)

        def heir_has_everything() -> bool:
            return {at for at, _, _, by in account.effects[frozen:] if by == "b"} == {
                *range(QUEUES)
            }

        account.wait_until(heir_has_everything, meanwhile=10)
        time.sleep(1)
        account.go_on()
        a.send_signal(signal.SIGCONT)
        thawed = len(account.effects)
        account.wait_until(lambda: "a" in {by for *_, by in account.effects[thawed:]}, meanwhile=10)
        account.wait_until(lambda: not account.lost)
        assert (0, 0) == (ends(a), ends(b))
    assert [] == offsets.backwards
    assert min(offsets.latest.values()) > 0


def test_two_that_join_at_once_leave_no_hole(account: Account, arguments: Arguments) -> None:
    """However a queue's first owner is told to begin: who takes over begins where that one did."""
    with (
        account.worker(arguments("a"), "each", start="latest") as a,
        account.worker(arguments("b"), "each", start="latest") as b,
    ):
        account.wait_until(lambda: account.workers() == {"a", "b"}, meanwhile=10)
        # A queue that nobody has begun may begin after whatever is there: it is to be the latest.
        account.wait_until(lambda: len(account.begun()) == QUEUES, meanwhile=10)
        last = account.produce(100)
        account.wait_until(lambda: not account.lost & last)
        assert (0, 0) == (ends(a), ends(b))
        for at in range(QUEUES):
            offsets = sorted({offset for it, offset, *_ in account.effects if it == at})
            assert list(range(offsets[0], offsets[-1] + 1)) == offsets


def test_an_error_in_the_handler_ends_the_process_at_once(
    kafka: EmbeddedKafka,
    group: str,
    topic: str,
    account: Account,
    arguments: Arguments,
    published: Published,
) -> None:
    """Not with exit code 0, and in good order: nobody waits for the end of its session."""
    account.produce(QUEUES)
    with account.worker(arguments("a"), "fail") as a:
        account.wait_until(lambda: account.workers() == {"a"}, meanwhile=10)
        with account.worker(arguments("b"), "each") as b:
            account.wait_until(lambda: account.workers() == {"a", "b"}, meanwhile=10)
            producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
            for number in range(QUEUES):
                producer.produce(topic, value=FATAL, partition=number)
            assert producer.flush(PATIENCE_S) == 0
            producer.close()
            began = time.monotonic()
            assert 1 == a.wait(PATIENCE_S)
            took = time.monotonic() - began
            account.produce(100)
            account.wait_until(lambda: not account.lost)
            assert 0 == ends(b)
    published.wait_until(lambda: group in published.groups)
    published.wait_until(lambda: published.groups[group].members == 0)
    published.catch_up()
    changes = [it for it in published.of_group(group) if isinstance(it, MemberChanged)]
    assert took < SESSION_S / 2
    assert set() == {it.member for it in changes if it.event == "expired"}
    assert set() == account.twice


@pytest.mark.parametrize("style", ["each", "asyncio"])
def test_sigterm_ends_the_loop_in_good_order(
    account: Account, arguments: Arguments, style: Style
) -> None:
    """Without a line for it in the program: nothing is repeated, and the exit code is 0."""
    account.produce(200)
    with account.worker(arguments("a"), style) as a:
        account.wait_until(lambda: account.workers() == {"a"}, meanwhile=1)
        with account.worker(arguments("b"), "each") as b:
            account.wait_until(lambda: account.workers() == {"a", "b"}, meanwhile=1)
            began = time.monotonic()
            assert 0 == ends(a)
            took = time.monotonic() - began
            account.produce(100)
            account.wait_until(lambda: not account.lost)
            assert 0 == ends(b)
    assert set() == account.twice
    assert took < SESSION_S / 2
