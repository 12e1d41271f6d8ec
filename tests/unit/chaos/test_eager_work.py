"""What is found in the work of consumers that have no tokens."""

import pytest

from chaos.checks import violations
from chaos.eager_work import EAGER, is_steady
from chaos.faults import Kind
from chaos.history import Event, History
from chaos.on_rocketmq import checks_by, consumers_of, faults_of
from tests.builders.histories import at, message, ordered

HOOKED, ATTACHED = 4, 3
"""Two seeds."""
HEALED, RESTED = at(30, "round", "healed"), at(40, "round", "rested", number=1)


def worked(second: float, who: str, offset: int) -> list[Event]:
    """A message that one works on."""
    return message(second, who, offset, 0)


def committed(second: float, offset: int) -> Event:
    """What a broker is told."""
    return at(second, "broker-a", "committed", offset=offset)


def judged(*events: Event) -> list[str]:
    """The checks that fail."""
    return list(violations(ordered(events), EAGER))


MOVED = [
    *worked(1, "m0.1", 0),
    committed(2, 1),
    *worked(20, "m1.1", 1),
    *worked(20.1, "m0.1", 2),
    committed(20.2, 3),
    committed(21, 2),
    *(event for offset in range(3, 23) for event in worked(34 + offset / 4, "m1.1", offset)),
    committed(39.7, 22),
    HEALED,
]
"""A queue moves, and for a moment two work on it, of whom one sets the other's offset back."""

AT_REST = "one worker a queue at rest"
LATE = "all rests in time"
IDLE = "nobody is without work at rest"


def test_two_may_work_on_a_queue_that_moves() -> None:
    """Until the former one has asked: docs/rocketmq.md says so."""
    assert [] == judged(*MOVED, RESTED)


@pytest.mark.parametrize(
    ("check", "events"),
    [
        pytest.param(AT_REST, [*worked(38, "m0.1", 50), RESTED], id="still two"),
        pytest.param(AT_REST, [*worked(44, "m1.1", 50), RESTED], id="few"),
        pytest.param(AT_REST, [at(40, "round", "rested", number=2)], id="nobody"),
        pytest.param(LATE, [at(91, "round", "rested", number=1)], id="late"),
        pytest.param(LATE, [at(120, "round", "restless", number=1)], id="never"),
        pytest.param(IDLE, [at(0, "m2.1", "started"), RESTED], id="idle"),
        pytest.param(IDLE, [at(0, "m0.1", "started"), RESTED], id="idle at last"),
        pytest.param("no member dies by itself", [at(35, "m0.1", "died"), RESTED], id="died"),
        pytest.param(
            "no acknowledged message is unseen",
            [at(35, "producer", "acked", offset=99, number=99), RESTED],
            id="lost",
        ),
    ],
)
def test_it_finds_what_is_planted(check: str, events: History) -> None:
    """Whatever else the plant breaks."""
    assert check in judged(*MOVED, *events)


BY_BOTH = [*worked(50, "m0.1", 0), *worked(51, "m1.1", 1)]
GONE = [at(52.3, "broker-a", "away"), at(52.6, "broker-a", "back")]


@pytest.mark.parametrize(
    ("events", "is_good"),
    [
        pytest.param([*worked(51, "m0.1", 0), committed(52, 3), committed(53, 2)], False, id="one"),
        pytest.param([committed(52, 3), committed(52.2, 2)], True, id="at once"),
        pytest.param([*BY_BOTH, committed(52, 3), committed(53, 2)], True, id="two"),
        pytest.param(
            [*worked(50, "m0.1", 0), committed(52, 3), committed(53, 2), *worked(53.1, "m1.1", 2)],
            True,
            id="it begins",
        ),
        pytest.param([*BY_BOTH, committed(94, 3), committed(95.1, 2)], False, id="long ago"),
        pytest.param([committed(5, 3), *BY_BOTH, committed(53, 2)], False, id="before both"),
        pytest.param([committed(52, 3), *GONE, committed(53, 2)], True, id="away"),
        pytest.param(
            [*worked(50, "m0.1", 0), *worked(51, "m0.2", 1), committed(52, 3), committed(53, 2)],
            False,
            id="lives of one",
        ),
    ],
)
def test_a_commit_goes_back_where_two_work_or_a_broker_was_away(
    events: list[Event], *, is_good: bool
) -> None:
    """And not behind what stood there before both."""
    back = "committed offsets go back only where two have worked"

    rest = [HEALED, at(60, "round", "rested", number=0)]
    assert ([] if is_good else [back]) == judged(*events, *rest)


def test_a_while_with_one_worker_each_is_waited_for() -> None:
    """Of that no moment is in the faults, or with two at work."""
    one = [event for it in range(60) for event in worked(25 + it / 4, "m0.1", it)]

    assert is_steady(ordered([HEALED, *one]), queues=1)
    assert not is_steady(ordered([HEALED, *one]), queues=2)
    assert not is_steady(ordered([HEALED, *one, *worked(36, "m1.1", 60)]), queues=1)
    assert not is_steady(ordered([at(35, "round", "healed"), *one]), queues=1)


def test_the_seed_says_what_is_done_to_whom() -> None:
    """Two processes of one client id both work, as documented: nothing is left to be judged."""
    assert ("hooked", "lite") == (consumers_of(HOOKED), consumers_of(ATTACHED))
    assert {Kind.TWIN} == {*faults_of(ATTACHED)} - {*faults_of(HOOKED)}
    assert checks_by(HOOKED) == EAGER != checks_by(ATTACHED)
