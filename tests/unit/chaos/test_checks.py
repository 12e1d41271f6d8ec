"""Each check passes a good history, and fails a bad one that is planted in it."""

from dataclasses import replace

import pytest

from chaos.checks import CHECKS, REST_S, violations
from chaos.commit_checks import NOTHING, excused
from chaos.history import History, S
from tests.builders.histories import at, message, moved, ordered, twice, without, woken

GOOD = ordered(
    [
        at(0, "m0.1", "started"),
        at(0, "m1.1", "started"),
        at(1, "m0.1", "began", token=1),
        at(1, "m0.1", "began", token=1, queue=1),
        *message(2, "m0.1", 0, 1),
        at(3, "kafka", "committed", token=1, offset=1),
        at(4, "m0.1", "gave", token=1),
        at(4.001, "m1.1", "began", token=2),
        *message(5, "m1.1", 1, 2),
        at(6, "kafka", "committed", token=2, offset=2),
        at(7, "round", "healed"),
        at(8, "round", "rested"),
        at(9, "m1.1", "gave", token=2),
        at(9.1, "m1.1", "ended"),
    ]
)
"""One queue of two goes from one member to another."""

FROZEN = ordered(
    [
        at(0, "m0.1", "started"),
        at(1, "m0.1", "began", token=1),
        *message(2, "m0.1", 0, 1),
        at(3, "kafka", "committed", token=1, offset=1),
        at(4, "m0.1", "stopped"),
        at(15, "m1.1", "began", token=2),
        *message(16, "m1.1", 1, 2),
        at(17, "kafka", "committed", token=2, offset=2),
        at(18, "m0.1", "resumed"),
        at(18.001, "m0.1", "handed", token=1, offset=1, number=1),
        at(18.002, "m0.1", "refused", token=1, offset=1, number=1),
        at(18.1, "m0.1", "lost", token=1),
        at(19, "m0.1", "began", token=1, queue=1),
        at(20, "round", "healed"),
        at(21, "round", "rested"),
    ]
)
"""One is frozen with a message on its way, and another takes over meanwhile."""

REPEATED = ordered(
    [
        *GOOD,
        at(4.5, "kafka", "committed", token=2, offset=1),
        at(4.6, "kafka", "committed", token=1, offset=2),
    ]
)
"""An heir commits what is committed, and the former owner goes on."""

PAUSED = at(18.01, "m0.1", "paused", offset=round(14.02 * S))
"""It says so itself of the same freeze."""

BLINK = [at(1.1, "m0.1", "stopped"), at(2.7, "m0.1", "resumed")]
"""One could do nothing, long before it gave its queue away."""

AWAY = ordered(
    [
        at(1, "m0.1", "began", token=1),
        at(4, "m0.1", "lost", token=1),
        at(7, "round", "healed"),
        at(8, "round", "rested"),
    ]
)
"""One loses its queue, and no heir has begun."""

AWAKE = [
    at(20.1, "m0.1", "began", token=3),
    at(20.2, "m0.1", "handed", token=3, offset=2, number=2),
    at(20.3, "m0.1", "refused", token=3, offset=2, number=2),
    at(20.4, "m0.1", "done", token=3, offset=2, number=2),
]
"""The one that was frozen has a queue again, and is refused."""

SLOW = ordered(
    [
        *GOOD,
        at(10, "m0.1", "began", token=3),
        at(10.1, "producer", "acked", offset=2, number=2),
        at(10.2, "m0.1", "handed", token=3, offset=2, number=2),
        at(10.3, "m0.1", "gave", token=3),
        at(10.301, "m1.2", "began", token=4),
        at(10.302, "m1.2", "handed", token=4, offset=2, number=2),
        at(14.2, "m0.1", "effect", token=3, offset=2, number=2),
        at(14.201, "m0.1", "done", token=3, offset=2, number=2),
        at(14.3, "m1.2", "effect", token=4, offset=2, number=2),
        at(14.301, "m1.2", "done", token=4, offset=2, number=2),
    ]
)
"""A queue is given up at once, with a message in hand: for four seconds two work on that."""


def restless(history: History) -> History:
    """One in which the wait is over before its end; a third queue was never owned."""
    return ordered([*without(history, "rested"), at(8, "round", "restless", number=3)])


def late(fault: str, cured: float = 6.4) -> History:
    """What the first member has sent comes when this fault is over."""
    mended = replace(at(cured, "round", "cured"), said=fault)
    return ordered([*GOOD, mended, at(6.5, "kafka", "committed", token=1, offset=1)])


BAD = {
    "no acknowledged message is unseen": [without(GOOD, "effect", "m0.1")],
    "no two owners at a time": [
        moved(GOOD, "gave", "m0.1", 0.002),  # a millisecond is enough
        ordered([*GOOD, at(5.5, "m0.1", "began", token=7), at(5.6, "m0.1", "gave", token=7)]),
        without(without(FROZEN, "stopped"), "resumed"),
        moved(FROZEN, "lost", "m0.1", 2.5),  # it has woken, and goes on as if it had not slept
    ],
    "one life a token, and tokens grow": [
        ordered([*GOOD, at(9.2, "m2.1", "began", token=2)]),
        ordered([*GOOD, at(9.2, "m2.1", "began", token=1)]),
    ],
    "tokens never go back in effects": [
        ordered([*GOOD, at(6, "m0.1", "effect", token=1, offset=1, number=1)]),
        ordered([*GOOD, at(6, "m0.1", "refused", token=1, offset=1, number=1)]),
        without(without(FROZEN, "stopped"), "resumed"),
        ordered([*FROZEN, *AWAKE]),  # what it slept through was over by then
    ],
    "nobody works without a grant": [
        ordered([*GOOD, at(5, "m0.1", "handed", token=1, offset=1)]),
        without(GOOD, "began", "m0.1"),
        ordered([*AWAY, at(6.1, "m0.1", "handed", token=1, offset=1)]),
    ],
    "nobody gives up what is in hand": [
        SLOW,
        ordered([*SLOW, at(24, "m0.1", "killed")]),  # long after it could have said that it is lost
        moved(GOOD, "done", "m0.1", 2),
        without(GOOD, "done", "m0.1"),
    ],
    "nobody works on what others own": [
        ordered([*FROZEN, at(18.05, "m0.1", "handed", token=1, offset=2)]),
        ordered([*FROZEN, PAUSED, at(18.05, "m0.1", "handed", token=1, offset=2)]),
        ordered([*GOOD, *BLINK, at(5.5, "m0.1", "handed", token=1, offset=2)]),
        without(without(FROZEN, "stopped"), "resumed"),
    ],
    "committed offsets never decrease": [
        ordered([*GOOD, at(6.5, "kafka", "committed", token=2, offset=1)]),
        ordered([*GOOD, at(6.5, "kafka", "committed", token=1, offset=3)]),
        REPEATED,  # the heir had committed no further
        ordered([*FROZEN, at(24, "kafka", "committed", token=1, offset=1)]),  # long after it woke
        ordered([*GOOD, at(6.5, "kafka", "committed", offset=NOTHING)]),  # it is deleted
        ordered([*late("connection held up m0"), at(6.6, "kafka", "committed", offset=NOTHING)]),
        late("connection held up m1"),  # the line of the other one
        late("broker restarted"),
        woken((0.5, 1_052)),  # as the consumer before this one did
        woken((0.05, 1_052), (0.2, 1_052)),
        woken((0.05, 1_060)),  # what it was handed after it woke
        twice(woken((0.05, 1_052))),  # each time that it wakes
    ],
    "nothing is committed before its effect": [
        moved(GOOD, "effect", "m0.1", 1.1),  # it was committed when it was handed out
        ordered([*GOOD, at(4.5, "kafka", "committed", token=2, offset=2)]),
    ],
    "all rests in time": [
        restless(GOOD),
        moved(GOOD, "rested", "round", REST_S),
    ],
    "nobody is without work at rest": [
        ordered([*GOOD, at(2, "m2.1", "started")]),
        ordered([*GOOD, at(6, "m0.1", "lost", token=1, queue=1)]),
        ordered([*GOOD, at(6, "m0.1", "ended"), at(6.1, "m0.2", "started")]),
        restless(ordered([*GOOD, at(2, "m2.1", "started"), at(9, "m2.1", "began", token=3)])),
    ],
    "no member dies by itself": [ordered([*GOOD, at(9, "m0.1", "died")])],
    "no message twice under one token": [
        ordered([*GOOD, at(5.5, "m1.1", "handed", token=2, offset=1)])
    ],
}
"""For each check histories that it must fail."""


def test_a_good_history_passes() -> None:
    """None of them cries without need."""
    assert {} == violations(GOOD)


def test_a_frozen_member_is_excused() -> None:
    """It could not know; but for one message that was on its way."""
    assert {} == violations(FROZEN)


def test_a_line_that_is_held_up_excuses_its_member() -> None:
    """What it sent in time arrives when the line is whole again: no later, by two clocks."""
    for cured in (6.4, 6.501):
        history = late("connection held up m0", cured)
        assert ({}, 1) == (violations(history), excused(history))


def test_a_broker_that_was_frozen_excuses_everybody() -> None:
    """What had come to it by then is read when it goes on."""
    frozen = late("broker frozen")

    assert ({}, 1) == (violations(frozen), excused(frozen))


def test_each_check_is_shown_to_fail() -> None:
    """A check that nothing fails checks nothing."""
    assert CHECKS.keys() == BAD.keys()


@pytest.mark.parametrize(
    ("check", "history"), [(name, it) for name, those in BAD.items() for it in those]
)
def test_it_finds_what_is_planted(check: str, history: History) -> None:
    """Whatever else the plant breaks, this check sees it."""
    assert check in violations(history)


def test_what_a_freeze_held_up_may_set_back() -> None:
    """It is counted, and is no violation: the documents say that it may happen."""
    history = ordered([*FROZEN, at(18.05, "kafka", "committed", token=1, offset=1)])

    assert ({}, 1) == (violations(history), excused(history))


def test_one_write_may_have_been_on_its_way() -> None:
    """With all queues that are in it."""
    other = [at(1, "m0.1", "began", token=4, queue=1), at(14, "m1.1", "began", token=5, queue=1)]
    commits = [
        at(18, "kafka", "committed", token=5, offset=9, queue=1),
        at(20.05, "kafka", "committed", token=4, offset=4, queue=1),
    ]
    history = ordered([*woken((0.05, 1_052)), *other, *commits])

    assert "committed offsets never decrease" not in violations(history)
    assert 2 == excused(history)


def test_a_message_may_be_on_its_way_when_its_queue_is_lost() -> None:
    """Another thread tells the loss; both may be frozen in between."""
    handed = at(7.5, "m0.1", "handed", token=1, offset=1)
    frozen = [at(5, "m0.1", "stopped"), at(7, "m0.1", "resumed")]

    assert {} == violations(ordered([*AWAY, replace(handed, at=5 * S)]))
    assert {} == violations(ordered([*AWAY, *frozen, handed]))


def test_what_is_lost_while_it_is_given_up_may_be_in_hand() -> None:
    """The wait is over then; the loss is told after it, if the life does not end before it can."""
    for told in (at(10.4, "m0.1", "lost", token=3), at(10.4, "m0.1", "killed")):
        assert {} == violations(ordered([*SLOW, told]))


def test_a_queue_is_given_up_with_nothing_else_in_hand() -> None:
    """What another has in hand of it, or itself of another queue, does not matter."""
    others = [
        at(3.9, "m1.1", "handed", token=1, offset=7),
        at(3.9, "m0.1", "began", token=6, queue=1),
        at(3.95, "m0.1", "handed", token=6, offset=7, queue=1),
    ]

    assert "nobody gives up what is in hand" not in violations(ordered([*GOOD, *others]))


def test_it_is_said_who_had_no_owner_before_everybody_left() -> None:
    """When the round is over all queues are without one."""
    (said,) = violations(restless(GOOD))["all rests in time"]

    assert "it does not rest: the queues [2] have no owner" == said


def test_who_comes_and_goes_too_often_may_rest() -> None:
    """It has no queue for a while, as documented."""
    idle = [at(2, "m2.1", "started"), at(7.9, "m2", "resting")]

    assert {} == violations(ordered([*GOOD, *idle]))


def test_who_is_killed_owns_nothing_more() -> None:
    """Its heir may begin at once."""
    history = [
        at(0, "m0.1", "began", token=1),
        at(1, "m0.1", "killed"),
        at(1, "m1.1", "began", token=2),
        at(9, "round", "healed"),
        at(9, "round", "rested"),
    ]

    assert {} == violations(ordered(history))
    assert violations(ordered(it for it in history if it.kind != "killed"))
