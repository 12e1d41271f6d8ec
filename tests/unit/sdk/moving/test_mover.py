"""Movers, with everything around them in memory: whatever comes at a time, one works on a queue."""

import time
from asyncio import CancelledError
from random import Random

import pytest

from tests.builders.application import until
from tests.unit.sdk.moving.processes import QUEUES, Process, to_grant, to_take
from trimtab import Grant
from trimtab.errors import CallbackError
from trimtab.moving.sides import Side
from trimtab.protocol import QueueRef

STEPS = 60


def share(pair: tuple[Process, Process]) -> None:
    """Each side gives half to each, but not the same half."""
    for number, it in enumerate(QUEUES):
        to_take(pair[number % 2], it)
        to_grant(pair[number // 2], Grant(it, 1))


def all_hear(pair: tuple[Process, Process]) -> None:
    """Wait until each has acted on what is wanted now: it has asked, and asked again."""
    before = [it.times_read for it in pair]
    until(lambda: all(it.times_read > had + 2 for it, had in zip(pair, before, strict=True)))


def workers(pair: tuple[Process, Process], side: Side) -> dict[QueueRef, str]:
    """Who is to work on what."""
    return {
        it: process.name
        for process in pair
        for it in (process.assigned if side == "kafka" else process.grants)
    }


def test_all_go_over_and_back(pair: tuple[Process, Process]) -> None:
    """Who owns a queue on the side that was wanted works on it, and nobody else."""
    kafka = pair[0].kafka
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "kafka"))  # without any wanted side
    for side in ("trimtab", "kafka", "trimtab"):
        kafka.wanted = side
        until(lambda: kafka.at_work == workers(pair, kafka.wanted or "kafka"))

    assert ([], [], []) == (kafka.wrong, pair[0].errors, pair[1].errors)
    assert {"trimtab:1:"} == {said for _, said in kafka.committed.values()}
    assert {3} == {offset for offset, _ in kafka.committed.values()}


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_at_a_time_one_works(pair: tuple[Process, Process], seed: int) -> None:
    """Orders, rebalances and hand-overs, with no time between them; and then all is at rest."""
    kafka, random = pair[0].kafka, Random(seed)
    share(pair)
    for _ in range(STEPS):
        one, (before, after) = random.choice(QUEUES), random.sample(pair, 2)
        match random.choice(("want", "kafka", "trimtab", "nothing")):
            case "want":
                kafka.wanted = random.choice(("kafka", "trimtab"))
            case "kafka" if one in before.assigned:
                before.mover.give([one])
                before.assigned.discard(one)
                to_take(after, one)
            case "trimtab" if (grant := before.grants.get(one)) is not None:
                before.mover.on_revoked((grant,))
                del before.grants[one]
                to_grant(after, Grant(one, grant.token + 1))
            case _:
                time.sleep(random.uniform(0.0, 0.01))
    kafka.wanted = "trimtab"
    until(lambda: kafka.at_work == workers(pair, "trimtab"))

    assert ([], [], []) == (kafka.wrong, pair[0].errors, pair[1].errors)


@pytest.mark.parametrize("wanted", [None, "trimtab"])
def test_what_rests_on_trimtabs_side_goes_to_kafkas_beside_who_cannot_move(
    pair: tuple[Process, Process], wanted: Side | None
) -> None:
    """The last commit is old, and that one works on it; who does not know waits."""
    kafka, (one, _, third, _) = pair[0].kafka, QUEUES
    kafka.committed |= dict.fromkeys(QUEUES, (7, "trimtab:1:"))
    kafka.wanted, kafka.others = wanted, "unknown"
    share(pair)
    time.sleep(0.05)
    assert {} == kafka.at_work
    kafka.others = "cannot"
    for process in pair:  # one that cannot move has half of Kafka's side
        process.mover.lose([third])
        process.assigned.discard(third)
    until(lambda: kafka.at_work == workers(pair, "kafka"))

    assert {(7, "kafka:1:")} == {*kafka.committed.values()}
    assert (False, [], []) == (third in kafka.at_work, kafka.wrong, pair[0].errors)
    assert one in kafka.at_work


@pytest.mark.parametrize("wanted", [None, "trimtab"])
def test_a_queue_goes_from_hand_to_hand_by_what_was_heard_last(
    pair: tuple[Process, Process], wanted: Side | None
) -> None:
    """On trimtab's side, where Kafka does not say at that moment who is in its group."""
    kafka = pair[0].kafka
    kafka.committed |= dict.fromkeys(QUEUES, (7, "trimtab:1:"))
    kafka.wanted, kafka.others = wanted, "could"
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "trimtab"))


def test_what_others_commit_takes_it_away(pair: tuple[Process, Process]) -> None:
    """A program that knows no sides was given the queue by Kafka: two are less than one."""
    kafka = pair[0].kafka
    kafka.wanted = "trimtab"
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "trimtab"))
    for process in pair:
        process.mover.give(QUEUES)
    kafka.committed |= dict.fromkeys(QUEUES, (9, ""))
    until(lambda: kafka.at_work == {})

    assert [] == kafka.wrong


def test_what_nobody_can_give_back_is_taken(pair: tuple[Process, Process]) -> None:
    """Its owner on trimtab's side is gone, and no controller names another."""
    one, other = pair
    kafka = one.kafka
    kafka.wanted = "trimtab"
    share(pair)
    until(lambda: kafka.at_work == workers(pair, "trimtab"))
    other.mover.on_lost(tuple(other.grants.values()))
    other.grants.clear()
    for process in pair:
        process.mover.lose(QUEUES)
        process.assigned.clear()
    for it in QUEUES:
        to_take(one, it)
    kafka.wanted, one.abandoned.queues = "kafka", frozenset(QUEUES)
    until(lambda: kafka.at_work == workers(pair, "kafka"))

    assert [] == kafka.wrong
    assert {"kafka"} == {said.split(":")[0] for _, said in kafka.committed.values()}


@pytest.mark.parametrize("has_begun", [True, False])
def test_where_an_owner_began_counts_once(
    pair: tuple[Process, Process], *, has_begun: bool
) -> None:
    """On the other side it may be read again from before, or begin anew: then the commit counts."""
    one, kafka, queue = pair[0], pair[0].kafka, QUEUES[0]
    kafka.committed[queue] = (7, "trimtab:1:")
    kafka.wanted = "trimtab" if has_begun else "kafka"
    to_grant(one, Grant(queue, 2, position=100))
    if has_begun:
        until(lambda: queue in kafka.at_work)
        assert 100 == one.begun[queue]
        kafka.wanted = "kafka"
    until(lambda: kafka.committed[queue][1] == "kafka:2:" and queue not in kafka.at_work)
    kafka.wanted = "trimtab"
    all_hear(pair)  # then its owner on the other side gives it back
    kafka.committed[queue] = (7, "trimtab:2:")
    until(lambda: queue in kafka.at_work)

    assert 7 == one.begun[queue]


def test_what_was_finished_counts_as_long_as_the_commit_is_the_same(
    pair: tuple[Process, Process],
) -> None:
    """Kafka has not taken it; who has committed since has gone on, or back."""
    one, kafka = pair[0], pair[0].kafka
    for it in QUEUES[:2]:
        kafka.committed[it] = (7, "trimtab:1:")
        to_grant(one, Grant(it, 2))
    until(lambda: len(kafka.at_work) == 2)
    kafka.refuses, kafka.wanted = True, "kafka"
    until(lambda: kafka.at_work == {} and one.errors != [])
    kafka.committed[QUEUES[1]] = (5, "trimtab:2:")
    kafka.wanted = "trimtab"
    until(lambda: len(kafka.at_work) == 2)

    assert [8, 5] == [one.begun[it] for it in QUEUES[:2]]


@pytest.mark.parametrize("side", ["kafka", "trimtab"])
def test_what_was_finished_counts_beyond_what_this_process_has_committed(
    pair: tuple[Process, Process], side: Side
) -> None:
    """By itself, while a part of it was in hand; then Kafka takes no commit for a moment."""
    one, queue, kafka = pair[0], QUEUES[0], pair[0].kafka
    kafka.committed[queue] = (7, f"{side}:1:")
    to_take(one, queue)
    to_grant(one, Grant(queue, 2))
    until(lambda: queue in kafka.at_work)
    kafka.refuses, one.in_between = True, 1
    kafka.wanted = "kafka" if side == "trimtab" else "trimtab"
    until(lambda: kafka.at_work == {} and one.errors != [])
    assert 8 == kafka.committed[queue][0]
    kafka.refuses = False
    until(lambda: queue in kafka.at_work)

    assert (9, 9) == (one.begun[queue], kafka.committed[queue][0])


@pytest.mark.parametrize("mistake", [LookupError, SystemExit, CancelledError])
def test_a_callback_that_raises_at_the_beginning_ends_the_member(
    pair: tuple[Process, Process], mistake: type[BaseException]
) -> None:
    """On Kafka's side as on trimtab's: it would hold a queue that it never reads."""
    one = pair[0]
    one.mistake = mistake("no such table")
    to_take(one, QUEUES[0])
    until(lambda: one.failures and not one.mover.working)

    assert CallbackError is type(one.failures[0])
    assert ("no such table", []) == (str(one.failures[0].__cause__).strip("'"), one.errors)


@pytest.mark.parametrize("how", ["give", "lose"])
def test_a_callback_that_raises_at_the_end_ends_the_member(
    pair: tuple[Process, Process], how: str
) -> None:
    """Kafka's rebalance goes on, and the queue is nobody's of this process."""
    one = pair[0]
    to_take(one, QUEUES[0])
    until(lambda: one.mover.working)
    one.mistake = CancelledError()
    getattr(one.mover, how)([QUEUES[0]])

    assert CallbackError is type(one.failures[0])
    assert ((), frozenset()) == (one.mover.working, one.mover.owned([Grant(QUEUES[0], 0)]).grants)


def test_what_kafka_says_instead_is_told_once(pair: tuple[Process, Process]) -> None:
    """It may be said again and again, as long as it lasts."""
    one = pair[0]
    for _ in range(3):
        one.mover.trouble(LookupError("INCONSISTENT_GROUP_PROTOCOL"))

    assert ["INCONSISTENT_GROUP_PROTOCOL"] == list(map(str, one.errors))
