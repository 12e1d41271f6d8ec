"""What a member tells of its controller, its callbacks and its surroundings."""

import pytest

from tests.unit.sdk.watched import World
from trimtab import (
    NoControllerError,
    NoTopicError,
    SharedGroupError,
    SlowCallbackError,
)
from trimtab.callbacks import Running
from trimtab.protocol import HEARTBEATS, MEMBERS
from trimtab.session import Send
from trimtab.transports.contract import Delivered, Undelivered
from trimtab.transports.inspector import LastTick, Subscriber
from trimtab.watching import ABSENT_MS, AROUND_MS, CALLBACK_MS, UNANSWERED_MS

STRANGER = Subscriber("rdkafka", "/10.0.0.7")


@pytest.fixture
def world() -> World:
    """A member that has connected."""
    return World()


def test_a_join_that_nobody_answers_is_told(world: World) -> None:
    """Once, after 15 s: what was tried, where, and what to look at."""
    world.join(1_000)
    world.join(3_000, ticket=2)
    world.answers.tick = LastTick(312_400, 900)
    early = list(world.look(1_000 + UNANSWERED_MS - 1))
    (error,) = world.look(*range(1_000 + UNANSWERED_MS, 60_000, 1_000))

    assert [] == early
    assert isinstance(error, NoControllerError)
    assert (
        "no controller answers: the join of this member (asked 2 times) has been in topic "
        "t.members of Kafka at kafka-1:9092 for 15 s. The last tick of one is 312 s old. Start "
        'a controller with prefix "t." on this Kafka'
    ) in str(error)


@pytest.mark.parametrize(
    ("tick", "evidence"),
    [
        (None, "Whether one ticks is not known (that needs the right to Read topic heartbeats)."),
        (LastTick(None, 900), "There is no tick of one in the last 900 records of heartbeats."),
        (
            LastTick(800, 900),
            "A controller is running (last tick 1 s ago). It may still be starting.",
        ),
    ],
)
def test_the_log_shows_whether_a_controller_is_there(
    world: World, tick: LastTick | None, evidence: str
) -> None:
    """A dead one, none at all, and one that is there and does not answer are three cases."""
    world.answers.tick = tick
    world.join(0)
    (error,) = world.look(0, UNANSWERED_MS - 1_000, UNANSWERED_MS)

    assert evidence in str(error)


def test_a_session_that_is_granted_otherwise_is_told_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asked for three seconds wants to know that it is ten."""
    caplog.set_level("INFO")
    world.join(0)
    world.look(1_000)
    assert not caplog.messages
    world.answer(2_000)
    world.look(2_000, 3_000)

    (told,) = [it for it in caplog.messages if it.startswith("session_timeout is 9 s")]
    assert "the member's 60 s: see policy.session_timeout_min" in told


def test_an_answer_ends_it(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """That is a line in the log; and the next silence is news."""
    world.join(0)
    world.look(*range(0, 20_000, 1_000))
    world.answer(20_000)
    world.look(20_000)

    assert ["over, after 5 s: no controller answers"] == [it[:38] for it in caplog.messages]


def test_to_leave_is_no_answer(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """A member that nobody has ever answered is told to stop."""
    world.join(0)
    world.look(*range(0, 20_000, 1_000))
    world.session.stop(20_000, 1_000)
    world.look(20_000)

    assert [] == caplog.messages


def test_what_is_not_in_the_log_is_not_unanswered(world: World) -> None:
    """Nobody can answer a join that has not arrived, nor a beat."""
    world.watch.sent(Send(MEMBERS.name, b"k", b"v", ticket=1))
    world.watch.hear(Undelivered(1, "no"), 0)
    world.watch.sent(Send(HEARTBEATS.name, b"k", b"v", ticket=2))
    world.watch.hear(Delivered(2), 0)
    errors = world.look(*range(0, 60_000, 1_000))

    assert [] == [it for it in errors if isinstance(it, NoControllerError)]
    assert "tick billing" not in world.answers.asked


def test_a_transport_of_ones_own_is_told_as_much_as_is_known() -> None:
    """Nobody else is asked anything then."""
    world = World(is_alone=True)
    world.join(0)
    (error,) = world.look(0, UNANSWERED_MS)

    assert "has been in topic members for 15 s. Start a controller with this prefix" in str(error)
    assert [] == world.answers.asked


def test_programs_that_subscribe_under_the_same_name_are_named(world: World) -> None:
    """Found at the start, or a minute later; told once."""
    world.look(0, AROUND_MS - 1)
    world.answers.who = (STRANGER,)
    before = list(world.look(AROUND_MS - 1))
    (error,) = world.look(AROUND_MS, 2 * AROUND_MS, 3 * AROUND_MS)

    assert [] == before
    assert isinstance(error, SharedGroupError)
    assert (
        '1 other programs have subscribed as group "billing" of Kafka at kafka-1:9092: '
        "client rdkafka on 10.0.0.7."
    ) in str(error)


def test_it_is_over_when_they_have_gone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """As far as that is known: no answer ends nothing."""
    world.answers.who = (STRANGER,)
    world.look(0)
    world.answers.who = None
    world.look(AROUND_MS)
    unknown = len(caplog.messages)
    world.answers.who = ()
    world.look(2 * AROUND_MS)

    assert 0 == unknown
    assert caplog.messages[0].startswith("over, after 120 s: 1 other programs have subscribed")


def test_many_are_counted(world: World) -> None:
    """And some of them named, in an order that does not change: else each look would be news."""
    world.answers.who = tuple(Subscriber(f"c{it}", "/h") for it in range(7))
    world.look(0)
    world.answers.who = tuple(reversed(world.answers.who))
    (error,) = world.look(AROUND_MS)

    assert "client c4 on h and 2 more." in str(error)


def test_who_owns_nothing_may_share_a_name() -> None:
    """Members of the other modes have no committed offsets in common with anybody."""
    world = World("broadcasting")
    world.answers.who = (STRANGER,)

    assert ([], ["topics orders,bills"]) == (world.look(0), world.answers.asked)


def test_topics_that_do_not_exist_are_told(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The member waits for them; when they are there, that is told, too."""
    world.answers.missing = frozenset({"orders", "bills"})
    early = list(world.look(0, ABSENT_MS - 1))
    world.look(ABSENT_MS)
    world.answers.missing = frozenset({"bills"})
    world.look(AROUND_MS)
    world.answers.missing = None
    world.look(2 * AROUND_MS)
    world.answers.missing = frozenset()
    first, second = world.look(3 * AROUND_MS)

    assert [] == early
    assert isinstance(first, NoTopicError)
    assert "no topic bills, orders on Kafka at kafka-1:9092: the member waits" in str(first)
    assert "no topic bills on Kafka" in str(second)
    assert 1 == len(caplog.messages)


def test_a_topic_that_one_works_on_exists(world: World) -> None:
    """It need not be on this Kafka: routes may come from a file."""
    world.answers.missing = frozenset({"orders"})
    world.look(0)
    world.answer(5_000)

    assert [] == world.look(5_000, ABSENT_MS, AROUND_MS)


@pytest.mark.parametrize(
    ("name", "limit", "said"),
    [
        ("on_assigned", CALLBACK_MS, "no other callback runs meanwhile"),
        ("on_lost", CALLBACK_MS, "no other callback runs meanwhile"),
        ("on_revoked", 30_000, "after 48 s the member loses all its queues. Make it faster, or "),
    ],
)
def test_a_callback_that_takes_too_long_is_told(
    world: World, caplog: pytest.LogCaptureFixture, name: str, limit: int, said: str
) -> None:
    """Once; a revocation has a time of its own, of which it may take half without a word."""
    world.ears.at_work = Running(name, 1_000, 0)
    early = list(world.look(limit + 999))
    (error,) = world.look(limit + 1_000, limit + 2_000)
    world.ears.at_work = None
    world.look(limit + 3_000)

    assert [] == early
    assert isinstance(error, SlowCallbackError)
    assert str(error).startswith(f"{name} has been running for {limit // 1_000} s: ")
    assert said in str(error)
    assert f"over, after 2 s: {error}" in caplog.messages


def test_a_revocation_has_the_time_that_the_controller_grants(world: World) -> None:
    """It may be less than what was asked for, and all is lost by that one."""
    world.answer(0, revocation_ms=30_000)
    world.ears.at_work = Running("on_revoked", 1_000, 0)
    (error,) = world.look(16_000)

    assert str(error) == (
        "on_revoked has been running for 15 s: after 24 s the member loses all its queues. "
        "Make it faster: the controller grants no more than 30 s"
    )
