"""The rules of the brokers' hook: whose answer counts, and what it is."""

from collections.abc import Sequence

import pytest

from tests.builders.sessions import assignment
from tests.integration.rocketmq.hook_rules import NONE_YET, OWN, PATIENCE_S, play, queues, share
from trimtab.protocol import HolderRef, encode

pytestmark = pytest.mark.slow


def test_a_share_is_answered_topic_by_topic() -> None:
    """One that has none of a topic is told to have none; who gets the same again is no news."""
    told = play(
        f"post billing a 0 {share(0, 3)}",
        f"post billing a 0 {share(0, 3)}",
        "ask billing a orders 1",
        "read",
        "ask billing a orders 1",
        "ask billing a visits 1",
        "ask billing b orders 1",
    )

    assert ["true", "false", NONE_YET, "read"] == told[:4]
    assert [[0, 3], []] == [queues(it) for it in told[4:6]]
    assert told[6] == NONE_YET


@pytest.mark.parametrize("idle_first", [True, False])
def test_a_client_that_is_to_have_nothing_is_told_so_whoever_was_heard_first(
    *, idle_first: bool
) -> None:
    """Or it would keep a queue that another one has by now."""
    posts = [f"post billing idle 0 {share()}", f"post billing busy 0 {share(0)}"]
    told = play(
        *(posts if idle_first else reversed(posts)),
        f"post visits idle 0 {share()}",
        "post visits idle 1 -",
        f"post visits busy 0 {share(1)}",
        "read",
        "ask billing idle orders 1",
        "ask billing busy orders 1",
        "ask visits idle orders 1",
    )

    assert [[], [0]] == [queues(it) for it in told[6:8]]
    assert told[8] == NONE_YET


def test_what_is_shared_is_popped_and_the_rest_is_pulled() -> None:
    """A change of either is news; a topic that is still owned by an older target is popped, too."""

    def told(shared: str) -> str:
        hold = (HolderRef("orders", "broker-a", 0, 1), HolderRef("visits", "broker-a", 2, 1))
        rows = tuple(HolderRef("visits", "broker-a", int(it), 1) for it in shared)
        return encode(assignment(1).model_copy(update={"hold": hold, "shared": rows})).decode()

    answers = play(
        f"post billing a 0 {told('12')}",
        f"post billing a 0 {told('12')}",
        f"post billing a 0 {told('1')}",
        "read",
        "ask billing a orders 1",
        "ask billing a visits 1",
    )

    assert ["true", "false", "true", "read"] == answers[:4]
    assert ([0], [1]) == (queues(answers[4]), queues(answers[5], "POP"))


@pytest.mark.parametrize(
    ("group", "expected"), [("billing", [NONE_YET, NONE_YET, OWN]), ("other", [OWN] * 3)]
)
def test_a_group_that_the_controller_answers_not_is_not_kept_waiting(
    group: str, expected: Sequence[str]
) -> None:
    """One whose heartbeats are copied waits for the hook's patience; all others not at all."""
    seconds = (0, PATIENCE_S, PATIENCE_S + 1)
    lines = [line for s in seconds for line in (f"controller {s}", f"ask {group} a orders {s}")]

    assert [*expected] == play("read", *lines)[2::2]


def test_a_group_on_its_way_back_is_not_dealt_by_a_broker_that_has_not_read_yet() -> None:
    """It is not told of it any more, and the others still answer with the controller's shares."""
    told = play(
        "ask other a orders 1",
        f"post other a 2 {share(1)}",
        "read",
        "ask other a orders 3",
        "ask another a orders 3",
    )

    assert (NONE_YET, [1], OWN) == (told[0], queues(told[3]), told[4])


def test_a_group_that_has_no_part_in_it_is_not_kept_waiting_while_kafka_is_away() -> None:
    """It was never moved, and a broker that has not read anything cannot know that."""
    told = play("controller 30", "ask other a orders 30", "ask other a orders 31")

    assert [NONE_YET, OWN] == told[1:]


def test_a_client_that_the_controller_does_not_know_is_told_once() -> None:
    """It keeps what it has, for ever, while others of its group are answered."""
    told = play(
        f"post billing a 0 {share(0)}",
        "ask billing b orders 0",
        "read",
        "ask billing b orders 1",
        f"controller {PATIENCE_S}",
        "ask billing b orders 10",
        "unknown 11",
        "ask billing b orders 12",
        "unknown 12",
        "unknown 13",
        "ask billing c orders 13",
        f"post billing c 13 {share(1)}",
        "ask billing c orders 14",
        "unknown 15",
    )

    assert [NONE_YET] * 3 == [told[it] for it in (3, 5, 7)]
    assert ["", "b of billing", "", ""] == [told[it] for it in (6, 8, 9, 13)]


def test_a_client_that_repeats_itself_is_asked_for_all_until_it_is_a_member() -> None:
    """Heartbeats of version 2 leave out what is subscribed: nobody can be a member by these."""
    told = play(
        "repeats a billing",
        f"post billing a 0 {share()}",
        "repeats a billing",
        f"post billing b 0 {share(0)}",
        "repeats a billing",
        "post billing a 1 -",
        "repeats a billing",
        f"post billing a 2 {share(1, asked=True)}",  # a controller began anew
        "repeats a billing",
        "repeats a other",
        "repeats b billing restarted",  # and would refuse its pulls
        "repeats b other restarted",
    )

    assert ["true", "false", "false", "true"] == [told[it] for it in (0, 2, 4, 6)]
    assert ["true", "false", "true", "false"] == told[8:]


def test_who_is_no_member_any_more_drops_everything_while_others_are() -> None:
    """A group without members is nobody's: moved back, or all of its clients have gone."""
    told = play(
        f"post other a 0 {share(0)}",
        f"post other b 0 {share(1)}",
        "read",
        "post other a 1 -",
        "ask other a orders 2",
        "post other b 3 -",
        "ask other a orders 4",
        "ask other b orders 4",
    )

    assert [[], "true"] == [queues(told[4]), told[3]]
    assert [OWN, OWN] == told[6:]


def test_members_on_kafka_are_not_kept() -> None:
    """Their queues have no broker, and no client of RocketMQ asks for them."""
    assert [OWN] == play(f"post other a 0 {share(0, broker='')}", "read", "ask other a orders 1")[
        2:
    ]


def test_a_queue_that_nobody_asks_for_is_told_once() -> None:
    """After two minutes, of queues of this broker that are a share; one that is new has time."""
    asked = [f"pull billing orders {queue} 100" for queue in (0, 9)]
    told = play(
        f"post billing a 0 {share(0, 1)}",
        f"post billing b 0 {share(2, broker='broker-b')}",
        "idle broker-a 0",
        *asked,
        "controller 120",
        "idle broker-a 120",
        "controller 121",
        "idle broker-a 121",
        "idle broker-a 122",
        f"post billing b 123 {share(1)}",
        f"post billing a 123 {share(0)}",
        "controller 221",
        "idle broker-a 221",
        "controller 242",
        "idle broker-a 242",
    )

    idle = "billing orders 1, the share of a"
    assert ["", idle, ""] == [told[6], told[8], told[9]]
    assert ["billing orders 0, the share of a", ""] == [told[13], told[15]]


def test_without_a_controller_no_share_is_missed() -> None:
    """Its word does not count, so clients ask for what their broker says."""
    told = play(f"post billing a 0 {share(0)}", "idle broker-a 0", "idle broker-a 200")
    assert ["", ""] == told[1:]
