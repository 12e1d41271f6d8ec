"""The verdict: figures by step, and every way to fail named."""

from console.demo.journal import AnyEntry, Died, Processed, Produced, Started, Stopped
from console.demo.summary import Outcome, summarise
from console.demo.totals import Totals

MS = 1_000_000
JOIN = Outcome("join", begun=0, stable=900 * MS)
LEAVE = Outcome("leave", begun=1000 * MS, stable=1500 * MS)

STORY: list[AnyEntry] = [
    Started(10 * MS, "a", ((0, 1), (1, 1), (2, 1))),
    Produced(20 * MS, 0, 0),
    Processed(21 * MS, "a", 0, 0),
    Stopped(1000 * MS, "a", (0, 1, 2), "released"),
    Started(1002 * MS, "b", ((0, 2), (1, 2))),
    Started(1006 * MS, "c", ((2, 2),)),
]


def test_a_handover_belongs_to_the_step_in_which_the_heir_started() -> None:
    """Moves, median and largest rest, and the time until all was calm, step by step."""
    summary = summarise([JOIN, LEAVE], Totals.of(STORY))
    join, leave = summary.steps

    assert (join.moves, join.stable_s, join.rest_ms_p50, join.rest_ms_max) == (0, 0.9, None, None)
    assert (leave.moves, leave.stable_s, leave.rest_ms_p50, leave.rest_ms_max) == (3, 0.5, 2.0, 6.0)
    assert summary.moves == 3
    assert summary.problems == ()


def test_a_failed_step_is_the_problem_and_its_messages_are_not_lost() -> None:
    """A story cut short leaves messages on their way."""
    failed = Outcome("leave", 1000 * MS, None, failure="b has not ended after 60 s")
    summary = summarise([JOIN, failed], Totals.of([*STORY, Produced(1100 * MS, 0, 1)]))

    assert summary.steps[1].stable_s is None
    assert summary.problems == ("leave: b has not ended after 60 s",)


def test_lost_messages_fail_the_demo() -> None:
    """Whatever Kafka acknowledged must have been processed in the end."""
    summary = summarise([JOIN, LEAVE], Totals.of([*STORY, Produced(1100 * MS, 0, 1)]))

    assert (summary.produced, summary.processed, summary.lost) == (2, 1, 1)
    assert summary.problems == ("1 messages were lost",)


def test_two_owners_fail_the_demo() -> None:
    """And so does a message that was processed without the queue."""
    stray: list[AnyEntry] = [Started(1100 * MS, "d", ((0, 3),)), Processed(1101 * MS, "e", 0, 1)]
    summary = summarise([JOIN, LEAVE], Totals.of([*STORY, *stray]))

    assert (summary.owned_twice, summary.strays) == (1, 1)
    assert summary.problems == (
        "1 queues were owned twice at once",
        "1 messages were processed by members without the queue",
    )


def test_seeing_a_message_twice_takes_a_kill() -> None:
    """A kill explains repeats; without one they fail the demo."""
    again = Processed(1010 * MS, "b", 0, 0)
    calm = summarise([JOIN, LEAVE], Totals.of([*STORY, again]))
    died: list[AnyEntry] = [*STORY[:3], Died(1000 * MS, "a"), *STORY[4:], again]
    killed = summarise([JOIN, LEAVE], Totals.of(died))

    assert calm.problems == ("1 messages were seen twice without a kill",)
    assert (killed.seen_twice, killed.seen_twice_after_kill, killed.problems) == (1, 1, ())
