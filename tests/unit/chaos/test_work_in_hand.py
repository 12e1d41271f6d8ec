"""What the messages that members had in hand tell of who had a queue when."""

import pytest

from chaos.checks import violations
from chaos.history import Event, History
from chaos.ownership import tenures
from chaos.work_in_hand import BACK, EARLY, IN_ORDER, checks_of, with_tenures
from tests.builders.histories import at, ordered

REST = [at(30, "round", "healed"), at(31, "round", "rested")]


def worked(second: float, who: str, token: int, offset: int, lasts_s: float = 0.01) -> list[Event]:
    """A message that is acknowledged, handed out, has its effect, and is done."""
    more = {"token": token, "offset": offset, "number": offset}
    return [
        at(second - 0.1, "producer", "acked", offset=offset, number=offset),
        at(second, who, "handed", **more),
        at(second + lasts_s, who, "effect", **more),
        at(second + lasts_s, who, "done", **more),
    ]


def judged(*events: Event) -> list[str]:
    """The checks that fail."""
    return list(violations(with_tenures(ordered([*events, *REST])), checks_of(in_order=False)))


GOOD = [
    *worked(1, "m0.1", 1, 0),
    *worked(1.005, "m0.1", 1, 1),  # two at a time
    *worked(3, "m0.1", 1, 2),
    *worked(3.02, "m1.1", 4, 3),
    *worked(5, "m0.1", 6, 4),
    at(5.5, "m0.1", "killed"),
    *worked(9, "m1.1", 9, 5),
]
"""One queue goes from one member to another and back, and on when that is killed."""

FROZEN = [
    *worked(1, "m0.1", 1, 0),
    at(2, "m0.1", "handed", token=1, offset=1, number=1),
    at(2.001, "m0.1", "stopped"),
    *worked(14, "m1.1", 4, 1),
    *worked(17.999, "m1.1", 4, 2, lasts_s=0.1),
    at(18, "m0.1", "resumed"),
    at(18.003, "m0.1", "refused", token=1, offset=1, number=1),
    at(18.004, "m0.1", "done", token=1, offset=1, number=1),
]
"""One is frozen with a message in hand."""


def test_a_life_has_a_queue_from_its_first_message_to_its_last() -> None:
    """Until another begins; the last one, and who is killed, to the end."""
    found = tenures(with_tenures(ordered(GOOD)))

    ends = [(it.who, it.token, it.span.end / 1e9, it.how) for it in found]
    assert [
        ("m0.1", 1, 3.01, "gave"),
        ("m1.1", 4, 3.03, "gave"),
        ("m0.1", 6, 5.5, "killed"),
        ("m1.1", 9, 9.01, ""),
    ] == ends
    assert [1.0, 3.02, 5.0, 9.0] == [it.span.begin / 1e9 for it in found]


def test_good_histories_pass() -> None:
    """Also one in which a member could not know."""
    assert [] == judged(*GOOD)
    assert [] == judged(*FROZEN)


def test_an_orderly_queue_is_worked_on_in_order() -> None:
    """One after another, also when it moves; what comes again comes with all that follows it."""

    def told(*events: Event) -> list[str]:
        history = with_tenures(ordered([*events, *REST]))
        return list(violations(history, checks_of(in_order=True)))

    first, again = worked(1, "m0.1", 1, 0), worked(5, "m1.1", 2, 0)
    assert [] == told(*first, *worked(2, "m0.1", 1, 1), *again, *worked(6, "m1.1", 2, 1))
    assert [IN_ORDER] == told(*first, *worked(1.005, "m0.1", 1, 1))
    assert [IN_ORDER] == told(*first, *worked(2, "m0.1", 1, 2))


OVERLAP = "no two owners at a time"
LATE = "nobody works on what others own"
AGAIN = "no message twice under one token"


@pytest.mark.parametrize(
    ("check", "events"),
    [
        pytest.param(OVERLAP, [*GOOD, *worked(3.005, "m1.1", 4, 7, 0.02)], id="in hand at a time"),
        pytest.param(OVERLAP, [it for it in FROZEN if it.kind != "stopped"], id="not frozen"),
        pytest.param(
            OVERLAP,
            [*(it for it in FROZEN if it.kind != "done"), *worked(21, "m1.1", 4, 7)],
            id="long after it woke",
        ),
        pytest.param(LATE, [*GOOD, *worked(4, "m0.1", 1, 7)], id="under a token that is over"),
        pytest.param(
            LATE,
            [*FROZEN, *worked(18.01, "m0.1", 1, 7), *worked(18.02, "m0.1", 1, 8)],
            id="two after it woke",
        ),
        pytest.param(
            "one life a token, and tokens grow",
            [*GOOD, *worked(10, "m2.1", 9, 7)],
            id="a token twice",
        ),
        pytest.param(
            "no acknowledged message is unseen",
            [*GOOD, at(4, "producer", "acked", offset=7, number=7)],
            id="lost",
        ),
        pytest.param(AGAIN, [*GOOD, *worked(4, "m1.1", 4, 3)], id="again"),
    ],
)
def test_it_finds_what_is_planted(check: str, events: History) -> None:
    """Whatever else the plant breaks."""
    assert check in judged(*events)


@pytest.mark.parametrize(
    ("away_s", "back_s", "found"),
    [(3.5, 3.8, []), (2, 3.021, []), (3.5, 25, []), (2, 3.019, [AGAIN]), (4.1, 25, [AGAIN])],
)
def test_a_message_comes_again_when_its_broker_was_away(
    away_s: float, back_s: float, found: list[str]
) -> None:
    """Between both times, if only for a moment: the broker was not told how far its client was."""
    away, back = at(away_s, "broker-a", "away"), at(back_s, "broker-a", "back")

    assert found == judged(*GOOD, *worked(4, "m1.1", 4, 3), away, back)


def test_one_message_may_be_on_its_way_to_who_wakes() -> None:
    """It had passed the gate; nobody can stop it then."""
    assert [] == judged(*FROZEN, at(18.01, "m0.1", "handed", token=1, offset=7, number=7))


def test_a_twin_works_on_until_it_has_heard_of_its_younger() -> None:
    """For a moment; and another member waits for it."""

    def told(younger: str, done_s: float) -> list[str]:
        long = at(5, "m0.1", "handed", token=1, offset=1), at(done_s, "m0.1", "done", token=1)
        begun = [at(1, "m0.1", "handed", token=1), at(1.1, "m0.1", "done", token=1)]
        return judged(*begun, at(2, "m0.1", "doubled"), *long, *worked(5.1, younger, 3, 2))

    assert [] == told("m0.2", 7.0)
    assert [OVERLAP] == told("m0.2", 7.2)
    assert [OVERLAP] == told("m1.1", 7.2)


def test_a_broker_that_comes_back_may_have_forgotten_commits_and_no_other_may() -> None:
    """It writes them down every five seconds."""
    commits = [at(6 + it, "broker-a", "committed", offset=it) for it in (3, 4)]
    back = at(11, "broker-a", "committed", offset=2)
    gone = [at(10.4, "broker-a", "away"), at(10.5, "broker-a", "back")]

    assert [] == judged(*GOOD, *commits, *gone, back)
    assert [BACK] == judged(*GOOD, *commits, back)
    twice_at_once = [at(10.41, "broker-a", "committed", offset=it) for it in (2, 1)]
    assert [] == judged(*GOOD, *commits, gone[0], at(10.405, "broker-a", "back"), *twice_at_once)
    further = at(10, "broker-a", "committed", offset=5)
    for later, found in ((10.2, []), (10.3, [BACK])):
        again = at(later, "broker-a", "committed", offset=3)
        assert found == judged(*GOOD, *commits, further, again)


def test_who_is_frozen_may_have_begun_to_tell_its_broker() -> None:
    """It looks whose a queue is, and sends within a millisecond: once in a round it is between."""
    reached = at(17, "broker-a", "committed", offset=3)

    def told(second: float, offset: int = 2) -> list[Event]:
        return [at(second, "broker-a", "committed", offset=offset)]

    assert [] == judged(*FROZEN, reached, *told(18.05))
    assert [] == judged(*FROZEN, reached, *told(18.05, 1), *told(28, 2))  # its owner died
    assert [BACK] == judged(*FROZEN, reached, *told(18.3))  # long after it woke
    again = [*told(18.01), *told(18.1, 3), *told(18.4)]
    assert [BACK] == judged(*FROZEN, reached, *again)
    assert [BACK] == judged(*FROZEN, at(17, "broker-a", "committed", offset=9), *told(18.05, 8))
    awake = [it for it in FROZEN if it.kind not in {"stopped", "resumed"}]
    assert BACK in judged(*awake, reached, *told(18.05))


def test_what_is_committed_in_order_has_had_its_effect() -> None:
    """Of an orderly queue; else what fails is committed, and comes again."""
    early = at(0.95, "broker-a", "committed", offset=1)
    orderly = violations(with_tenures(ordered([*GOOD, early, *REST])), checks_of(in_order=True))

    assert EARLY in orderly
    assert [] == judged(*GOOD, early)
