"""Changes at the same time: a message in hand keeps its own queue, and no other one."""

import threading
from collections.abc import Callable
from random import Random

import pytest

from tests.builders.application import until
from tests.unit.sdk.moving.processes import QUEUES, Process, to_grant, to_take
from trimtab import Grant
from trimtab.moving.sides import Side

ONE, OTHER, THIRD, _ = QUEUES
STEPS = 40


def begun(what: Callable[[], object]) -> threading.Thread:
    """Have another thread do it."""
    thread = threading.Thread(target=what)
    thread.start()
    return thread


def with_one_in_hand(process: Process, way: str) -> threading.Thread:
    """A process with a queue of each side gives up the one of Kafka's, and has a message of it."""
    process.kafka.committed[OTHER] = (0, "trimtab:1:")
    to_take(process, ONE)
    to_grant(process, Grant(OTHER, 2))
    until(lambda: len(process.mover.working) == 2)
    process.held.add(ONE)
    if way == "move":
        to_grant(process, Grant(ONE, 2))
        process.kafka.wanted = "trimtab"
    giving = begun(lambda: process.mover.give([ONE] if way == "give" else []))
    until(lambda: ONE in process.awaited)
    return giving


@pytest.mark.parametrize("way", ["give", "move"])
@pytest.mark.parametrize("how", ["on_revoked", "on_lost"])
def test_a_queue_is_given_up_while_a_message_of_another_is_in_hand(
    pair: tuple[Process, Process], way: str, how: str
) -> None:
    """The controller waits for the one, and not for the other."""
    one = pair[0]
    giving = with_one_in_hand(one, way)
    getattr(one.mover, how)((Grant(OTHER, 2),))
    at_work, in_hand = dict(one.kafka.at_work), set(one.awaited)
    one.held.clear()
    giving.join()

    assert ({ONE: "a"}, {ONE}) == (at_work, in_hand)
    assert ([], []) == (one.kafka.wrong, one.errors)


@pytest.mark.parametrize("way", ["give", "move"])
@pytest.mark.parametrize("how", ["on_revoked", "on_lost"])
def test_what_kafkas_side_works_on_delays_no_other_that_is_given_up_with_it(
    pair: tuple[Process, Process], way: str, how: str
) -> None:
    """The controller names both at once, and nothing of the one is to be finished for it."""
    one = pair[0]
    to_grant(one, Grant(ONE, 2))
    giving = with_one_in_hand(one, way)
    coming = begun(lambda: getattr(one.mover, how)((Grant(ONE, 2), Grant(OTHER, 2))))
    coming.join(5.0)
    waits, at_work = coming.is_alive(), dict(one.kafka.at_work)
    one.held.clear()
    coming.join()
    giving.join()

    assert (False, {ONE: "a"}) == (waits, at_work)
    assert ([], []) == (one.kafka.wrong, one.errors)


def test_a_queue_begins_while_a_message_of_another_is_in_hand(
    pair: tuple[Process, Process],
) -> None:
    """Nobody would work on it."""
    one = pair[0]
    giving = with_one_in_hand(one, "give")
    to_take(one, THIRD)
    until(lambda: one.kafka.at_work == dict.fromkeys((ONE, OTHER, THIRD), "a"))
    in_hand = set(one.awaited)
    one.held.clear()
    giving.join()

    assert {ONE} == in_hand


@pytest.mark.parametrize("how", ["give", "lose"])
def test_who_comes_for_the_same_queue_waits(pair: tuple[Process, Process], how: str) -> None:
    """It is finished once, and whoever gets it next finds nobody at work on it."""
    one = pair[0]
    giving = with_one_in_hand(one, "move")
    coming = begun(lambda: getattr(one.mover, how)([ONE]))
    coming.join(0.05)
    waits = coming.is_alive()
    one.held.clear()
    coming.join()
    giving.join()

    assert waits
    assert ([], []) == (one.kafka.wrong, one.errors)


def test_what_is_not_in_hand_moves_at_once(pair: tuple[Process, Process]) -> None:
    """The whole group would stand still while one message takes its time."""
    one = pair[0]
    for it in QUEUES:
        to_take(one, it)
        to_grant(one, Grant(it, 2))
    until(lambda: len(one.mover.working) == len(QUEUES))
    one.held.add(ONE)
    one.kafka.wanted = "trimtab"
    until(lambda: ONE in one.awaited)
    moved = {it for it, (_, said) in one.kafka.committed.items() if said.startswith("trimtab")}
    one.held.clear()
    until(lambda: one.kafka.committed[ONE][1])

    assert {*QUEUES} - {ONE} == moved


@pytest.mark.parametrize("seed", range(3))
def test_both_sides_rebalance_at_a_time(pair: tuple[Process, Process], seed: int) -> None:
    """Each from a thread of its own, and now and then something is in hand for long."""
    kafka = pair[0].kafka
    for it in QUEUES:
        to_take(pair[0], it)
        to_grant(pair[1], Grant(it, 1))
    other = begun(lambda: rebalance(pair, "kafka", Random(seed)))
    rebalance(pair, "trimtab", Random(seed + 100))
    other.join()
    kafka.wanted = "trimtab"
    until(lambda: kafka.at_work == {it: process.name for process in pair for it in process.grants})

    assert ([], [], []) == (kafka.wrong, pair[0].errors, pair[1].errors)


def rebalance(pair: tuple[Process, Process], side: Side, random: Random) -> None:
    """Give one queue after the other to somebody else, or have the group move."""
    for _ in range(STEPS):
        one, (before, after) = random.choice(QUEUES), random.sample(pair, 2)
        if random.random() < 0.2:
            before.kafka.wanted = side
        if random.random() < 0.3:
            before.held.add(one)
            threading.Timer(0.02, before.held.discard, [one]).start()
        if side == "kafka" and one in before.assigned:
            before.mover.give([one])
            before.assigned.discard(one)
            to_take(after, one)
        elif side == "trimtab" and (grant := before.grants.get(one)) is not None:
            before.mover.on_revoked((grant,))
            del before.grants[one]
            to_grant(after, Grant(one, grant.token + 1))
