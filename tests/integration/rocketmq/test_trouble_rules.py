"""What RocketMQ's consumers that obey do in trouble, of a broker or of the application."""

from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow

CLIENTS: Final = pytest.mark.parametrize("client", [FIVE, FOUR])


def play(*troubles: str, client: str = FIVE) -> list[str]:
    """What becomes of each trouble, in order."""
    return answered(java("rocketmq.TroubleRules", client), troubles)


def test_a_client_is_reminded_of_what_it_is_to_let_go() -> None:
    """Once a second: if the broker that it asks does not answer, it waits for 20 s by itself."""
    assert ["0 true"] == play("leaves")


def test_a_member_fails_with_the_thread_that_looks_after_its_queues() -> None:
    """Or it would beat on, and release nothing any more."""
    assert ["ABANDONED"] == play("breaks")


@CLIENTS
def test_what_was_reached_before_a_loss_is_not_sent_later(client: str) -> None:
    """The queue may be the consumer's again, and others may have come further."""
    assert ["[200]", "100 null"] == play("forsaken-pull", "forsaken-lite", client=client)


def test_a_silent_broker_is_waited_for_once() -> None:
    """Its other queues fail at once; a broker that refuses at once is asked each time."""
    assert ["-2 1 3"] == play("silent")


@CLIENTS
def test_a_queue_of_which_its_broker_has_no_offset_gets_one_when_it_is_begun(client: str) -> None:
    """Or the next owner would begin at its end of that time; none is sent of another's queue."""
    assert ["[-1, -1, -1, -2, 132, -2] [132] 132 1"] == play("begun", client=client)


@CLIENTS
def test_an_application_that_is_polled_may_choose_where_a_new_group_begins(client: str) -> None:
    """It hears that nothing is committed; where it begins is, also if it seeks before that."""
    as_it_is = "-1, -1, [132]"
    sought = "-1, -1, [132, 132, 132, 0]"
    committed = "164"

    told = f"[{as_it_is}, {sought}, {committed}] [132, 132, 132, 0, 10, 132]"
    assert [told] == play("chosen", client=client)


@CLIENTS
def test_an_application_that_is_polled_may_go_back(client: str) -> None:
    """What it has sought counts at once: RocketMQ goes there later, and not while it is paused."""
    assert ["[60, 50, 50, 50, 50, 70]"] == play("sought", client=client)


@CLIENTS
def test_what_was_worked_on_of_a_topic_that_is_unsubscribed_is_sent(client: str) -> None:
    """RocketMQ sends nothing, and forgets it: the next owner would do up to 5 s of it again.

    It is sent once. When the queue is its own again, the offset would go back to that.
    """
    assert ["[[7], -1, 7, 1]", "61 0 -1"] == play("forgotten", "forgotten-lite", client=client)


@CLIENTS
def test_only_a_broker_that_says_so_has_no_offset_of_a_queue(client: str) -> None:
    """4.9 takes a busy broker's refusal for that: the whole queue would be handled again."""
    begins_anywhere, begins_at_132 = "-1, -2, -2, true", "132, -2, -2, true"

    assert [f"[{begins_anywhere}, {begins_at_132}]"] == play("refused", client=client)


@CLIENTS
def test_a_queue_whose_listener_was_interrupted_in_a_batch_is_dropped(client: str) -> None:
    """Not if it has done all: RocketMQ 5 would take what it has not done for done."""
    assert ["[false, true, true]"] == play("interrupted", client=client)


def test_a_granted_queue_that_the_client_never_hears_of_is_told_once() -> None:
    """After half a minute: the controller takes it for at work."""
    assert ["[0, 0, 1, 1, 0]"] == play("unknown")


@CLIENTS
def test_a_queue_whose_offset_is_being_reset_goes_by_itself(client: str) -> None:
    """RocketMQ writes the new offset of what is still there after ten seconds."""
    assert ["true [] true"] == play("reset", client=client)


@CLIENTS
def test_a_broker_that_acknowledges_no_offset_is_waited_for_once(client: str) -> None:
    """RocketMQ waits for five seconds, and meanwhile no queue of another broker is let go."""
    assert ["1 [7, 8] 0"] == play("deaf", client=client)


@CLIENTS
def test_a_rule_of_rocketmqs_may_fail_or_give_what_cannot_be_begun(client: str) -> None:
    """If it fails, the client keeps what it has; what is tried in vain is tried more rarely."""
    told = play("rule-fails", "rule-null", "rule-vain", client=client)

    assert ["1 1 true", "0 0 false", "2 1 true"] == told


def test_a_queue_that_was_lost_comes_again_when_its_messages_are_not_at_work_any_more() -> None:
    """A listener that does not end is waited for during `revocationTimeout`."""
    assert ["true false false"] == play("at-work")


def test_a_consumer_that_could_not_be_attached_does_not_say_that_it_is() -> None:
    """The others of its group would obey the controller, and it would not."""
    assert ["false true"] == play("marked")


def test_a_consumer_that_is_renamed_after_it_was_attached_says_so() -> None:
    """Its id has lost the mark, so the group would never move, and the log would blame others."""
    assert ["false true THEIRS"] == play("renamed")


@CLIENTS
def test_a_suspended_consumer_hands_over(client: str) -> None:
    """RocketMQ asks it for nothing; its listener is waited for, and its offset is sent."""
    first, then, is_dropped, sent = play("suspended", client=client)[0].split(" ", 3)

    assert ("false", "true", "true") == (first, then, is_dropped)
    assert {"7"} == set(sent.strip("[]").split(", "))


@CLIENTS
def test_a_queue_that_the_client_does_not_ask_about_is_handed_over(client: str) -> None:
    """No broker of its topic says who else is there, so RocketMQ asks for no share of it."""
    told = play("unasked", "unasked-lite", "unasked-pull", client=client)

    queue = "[MessageQueue [topic=orders, brokerName=broker-a, queueId=0]]"
    assert ["false false true [7]", f"{queue} [] true", "[1] false [1, 1, 0, 0] true"] == told


def test_it_is_handed_over_in_the_time_that_the_controller_grants() -> None:
    """That may be less than the consumer wants, and it loses all of its queues at the end of it."""
    assert ["true"] == play("unasked-soon")


def test_only_a_listener_complains_that_nobody_has_asked() -> None:
    """An application may ask `holds` before its consumer has joined."""
    assert ["false true"] == play("asked")


def test_an_orderly_queue_that_is_left_out_goes_before_it_comes_again() -> None:
    """RocketMQ keeps one that is at work, as dropped; it would stand still for two minutes."""
    assert ["0 true"] == play("left-out")


def test_a_close_in_a_listener_waits_for_nothing() -> None:
    """It would wait for itself."""
    assert ["WAITING"] == play("closed-inside")


def test_a_close_waits_for_who_polls_only_while_that_thread_is_there() -> None:
    """One that has ended never comes back, nor does the thread that closes."""
    assert ["true false false false false true"] == play("closed-lite")


def test_a_client_asks_for_its_share_before_locks_are_taken() -> None:
    """A broker that does not answer is waited for a second."""
    assert "wake broker" == play("locks")[0][: len("wake broker")]


def test_a_topic_that_is_unsubscribed_is_given_up_though_nobody_asks() -> None:
    """RocketMQ would ask for its share 20 s later."""
    assert ["[visits]"] == play("unsubscribed")


def test_a_consumer_that_subscribes_too_much_works_on_what_it_had() -> None:
    """RocketMQ allows more topics than a member may have. What it has given up is others'."""
    assert ["WAITING [visits]"] == play("too-many")


def test_one_that_has_given_up_all_and_subscribes_too_much_leaves() -> None:
    """It would keep what it had, and its client would work on none of it."""
    assert ["WAITING LEFT"] == play("too-many-others")


@CLIENTS
def test_queues_that_were_told_before_it_was_attached_are_pulled(client: str) -> None:
    """Who is never pulled for never asks, and the log would not say why nothing is worked on."""
    queue = "[MessageQueue [topic=orders, brokerName=broker-a, queueId=0]]"
    assert [queue] == play("assigned", client=client)
