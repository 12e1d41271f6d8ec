"""What a consumer in Java takes for done, where a queue's log is not the one that it was.

Python's answers are in ``tests.unit.sdk.consuming.test_upkeep``.
"""

import pytest

from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow

BEGIN = 100


def play(*lines: str) -> list[str]:
    """What the intake answers to these, in order; it begins at an offset, as committed."""
    return answered([*java("kafka.IntakeRules"), str(BEGIN)], lines)


def test_in_a_topic_that_was_made_anew_it_counts_from_the_beginning() -> None:
    """What was done, in hand and committed in the old one says nothing of where one is in this."""
    answers = play(
        *("read 100 107", "done 106", "position", "on 108 0 50", "position", "done 107"),
        *("read 0 2", "done 1", "position"),
    )

    assert ["true", "107 100"] == answers[1:3]
    assert ["0 null", "false"] == answers[4:6], "others begin there, and nothing is known of Kafka"
    assert ["true", "2 null"] == answers[7:]


@pytest.mark.parametrize(("end", "committed"), [(50, "[10]"), (500, "[]")])
def test_what_kafka_has_beyond_a_log_that_was_cut_is_written_over(end: int, committed: str) -> None:
    """Whoever began there would skip what was written since; an answer may come late, too."""
    answers = play(
        *("read 100 107", "done 107", f"on 108 0 {end}", "heard 90", "heard 108"),
        *("read 0 9", "done 9", "give"),
    )

    assert f"10 {committed}" == answers[-1]


@pytest.mark.parametrize(
    ("cut", "heard", "known"), [(104, 108, "104 -1"), (104, 103, "104 103"), (90, 90, "90 90")]
)
def test_where_it_is_known_where_a_log_was_cut_it_is_read_on_there(
    cut: int, heard: int, known: str
) -> None:
    """Before that it is the same log. It may have grown beyond what was committed by then."""
    answers = play(
        *("read 100 107", "done 107", f"on 108 {cut} {cut} {cut}", "position"),
        *(f"heard {heard}", "position", f"read {cut} 106", "done 104", "give"),
    )

    assert [f"{cut} null", known, "true", "105 [105]"] == [answers[it] for it in (3, 5, 7, 8)]


def test_a_hand_over_waits_for_nothing_where_a_log_was_cut() -> None:
    """Nothing of what is read there is handed out yet, wherever that begins."""
    answers = play("read 100 107", "done 107", "on 108 50 80", "awaited", "position", "give")

    assert ["false", "50 null", "50 []"] == answers[3:]


def test_where_it_is_in_another_log_no_heir_is_told() -> None:
    """The heir looks anew; nothing is committed of it, and nothing fetched in vain."""
    known = play("read 100 107", "done 107", "give")
    astray = play("read 100 107", "done 107", "stray", "give")

    assert "108 [108]" == known[-1]
    assert ["stray", "null []"] == astray[-2:]


def test_after_a_seek_back_the_token_of_a_message_is_known() -> None:
    """It came under the present grant; what is before or behind all that was handed out did not."""
    answers = play("read 100 107", "seek 101", "token 105", "done 105", "token 108", "token 99")

    assert ["true", "false", "false", "false"] == answers[2:]


def test_what_is_committed_after_the_loop_counts_until_the_queue_is_handed_over() -> None:
    """By a listener that commits when it is told that its queues go, while the consumer closes."""
    answers = play("read 100 107", "gone", "done 107", "give")

    assert ["true", "108 [108]"] == answers[-2:]


def test_where_messages_were_deleted_what_is_done_stays_done() -> None:
    """It reads on behind them."""
    answers = play("read 100 107", "done 107", "on 108 200 300", "position", "done 107")

    assert ["108 100", "true"] == answers[-2:]
