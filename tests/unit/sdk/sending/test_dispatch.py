"""What dispatch keeps, and when it deals; which turns come of that is in `test_sending`."""

from typing import Any

from trimtab import BrokerSelector
from trimtab.protocol import Verdict
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.dispatch import ANYWHERE, PACE_MAX, Dispatch, Leaders

NOW = 1_700_000_000_000


def dispatch() -> Dispatch[BrokerTimes]:
    """Turns of topic t, which two brokers lead."""
    made: Dispatch[Any] = Dispatch(BrokerSelector(), lambda times: (times, times, times))
    made.learn("t", Leaders(["1", "2"], {}), NOW)
    return made


def test_nothing_is_kept_of_a_broker_that_is_unknown() -> None:
    """Nobody reads it, and a topic may stay unknown for ever."""
    _, times, _ = dispatch().turns["new"]()
    for note in (times.note, times.note_eighth, times.note_failure):
        note(1.0)

    assert ([], [], 0) == times.read()


def test_a_stream_is_dealt_beforehand() -> None:
    """While a message waits, nothing of ours runs."""
    made = dispatch()
    for _ in range(1_000):
        made.turns["t"]()[1].note(0.001)
    assert made.tick(NOW, 0.05)
    made._hands.clear()  # noqa: SLF001 - whoever deals from now on finds nothing

    assert {0, 1} == {made.turns["t"]()[0] for _ in range(3 * PACE_MAX)}


def test_a_second_try_is_one_though_the_first_went_nobody_knew_where() -> None:
    """It tests no broker that is out of use: it has waited enough."""
    selector = BrokerSelector(reporter="me")
    out = Verdict(
        cluster="c",
        broker="2",
        available=False,
        since_ms=NOW,
        reason="slow",
        panic=False,
        reports=5,
        errors=0,
        testers=("me",),
    )
    selector.hear(out, NOW)
    made: Dispatch[Any] = Dispatch(selector, lambda times: (times, times, times))
    _, times, _ = made.turns["t"]()
    made.learn("t", Leaders(["1", "2"], {}), NOW)
    turn = made.again("t", times.broker, NOW + 2_000)

    assert turn is not None
    assert 0 == turn[0]


def test_what_is_forgotten_begins_anew() -> None:
    """As a topic that nobody has sent to: by the client's own choice."""
    made = dispatch()
    made.forget("t")

    assert ([], None) == (made.topics(), made.again("t", "1", NOW))
    assert ANYWHERE == made.turns["t"]()[0]
    assert made.times_of("t", 0) is None


def test_what_is_shut_stays_so() -> None:
    """Whoever learns of leaders late deals nothing."""
    made = dispatch()
    made.close("over")
    made.learn("u", Leaders(["1"], {}), NOW)
    made.tick(NOW, 0.05)

    assert [] == made.topics()
