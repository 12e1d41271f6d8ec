"""Orders of operators, and the limits that spare a broker from them and from the jury."""

from rebalance.brokers.decisions import VerdictWithdrawn
from rebalance.ids import BrokerName
from tests.builders.town import FAILS, Town, sights


def test_an_operator_s_eject_wins_until_it_lapses() -> None:
    """At once, whatever the reporters say, and back at once when its time is over."""
    town = Town()
    town.sweep()
    town.order("a", available=False, lasting=25_000)
    assert ("a", "operator", "because") == (
        town.out,
        town.verdict("a").detector,
        town.verdict("a").reason,
    )
    town.sweep(times=2)
    assert "a" == town.out
    town.pass_time(5_000)
    assert ("", True) == (town.out, town.verdict("a").available)


def test_an_operator_s_restore_wins_until_it_lapses() -> None:
    """What the detectors held against the broker is taken back, and may be found again later."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    town.order("c", available=True, lasting=60_000)
    assert ("", "operator") == (town.out, town.verdict("c").detector)
    town.sweep({"c": FAILS}, times=5)
    assert "" == town.out
    town.sweep({"c": FAILS}, times=3)
    assert "c" == town.out


def test_a_restore_without_end_binds_nobody() -> None:
    """It is done, and then the detectors judge again; an order that is late does nothing."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    town.order("c", available=True)
    assert ("", 0) == (town.out, town.cluster.brokers[BrokerName("c")].ejections)
    town.order("a", available=False, lasting=-1)
    assert {} == town.cluster.orders
    town.sweep({"c": FAILS}, times=2)
    assert "c" == town.out


def test_a_restore_takes_back_the_votes_too() -> None:
    """Failures of before do not condemn a broker again that nobody has tried since."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    town.order("c", available=True)
    for reporter in town.reporters:
        town.report(reporter, *sights(dict.fromkeys("abde", 5.0)))
    town.pass_time(10_000)
    assert "" == town.out


def test_forgetting_takes_everything_back() -> None:
    """Orders, sentence, past and record; reports make the broker known again."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    town.order("a", available=False)
    town.report("r0", *sights({"c": FAILS}))
    town.forget("c")
    town.forget("a")

    assert ("", {}) == (town.out, town.cluster.orders)
    gone = [it.broker for it in town.decisions if isinstance(it, VerdictWithdrawn)]
    assert ["c", "a"] == gone
    town.sweep()
    assert town.verdict("c").available


def test_nobody_can_take_out_the_last_broker() -> None:
    """Not even an operator: the order is shown as spared, and comes true when it may."""
    town = Town("ab")
    town.sweep()
    town.order("a", available=False)
    town.order("b", available=False)
    assert "a" == town.out
    assert "spared, too few would be left: because" == town.verdict("b").reason

    town.order("a", available=True)
    assert "b" == town.out


def test_at_most_a_third_is_out() -> None:
    """Thirty per cent, but one is always allowed."""
    for brokers, most in (("ab", 1), ("abc", 1), ("abcdefg", 2), ("abcdefghij", 3)):
        town = Town(brokers)
        bad = dict.fromkeys(brokers[: (len(brokers) - 1) // 2] or "a", FAILS)
        town.sweep(bad, times=3)
        assert (most, False) == (len(town.out), town.panic)
        assert town.out == brokers[:most]


def test_who_is_condemned_and_spared_is_said_to_be() -> None:
    """With the limit that spares it, once, until it is out or well."""
    town = Town("abcdefg")
    town.sweep(dict.fromkeys("abc", FAILS), times=3)
    spared = town.verdict("c")
    assert ("ab", True, "failures") == (town.out, spared.available, spared.detector)
    assert spared.reason.startswith("spared, no more than 2 of 7 may be out: 25 failures in a row")
    assert [spared] == town.issued("c")

    town.order("a", available=True, lasting=60_000)
    town.sweep(dict.fromkeys("abc", FAILS))
    assert "bc" == town.out
    town.sweep(times=4)
    assert ("", None, "nothing against it") == (
        town.out,
        town.verdict("c").detector,
        town.verdict("c").reason,
    )


def test_the_last_broker_of_a_topic_is_said_to_be_spared() -> None:
    """It is not passed off as fit; an order to restore it takes that back with all the rest."""
    town = Town()
    town.host("orders", "c")
    town.sweep({"c": FAILS})
    assert ("", "failures") == (town.out, town.verdict("c").detector)
    assert town.verdict("c").reason.startswith("spared, too few would be left: ")

    town.order("c", available=True)
    assert "nothing against it" == town.verdict("c").reason
