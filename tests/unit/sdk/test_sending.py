"""The parts behind `Producer` that need no Kafka: turns, accounts, the deadline cut into tries."""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from confluent_kafka import Producer as ConfluentProducer
from hypothesis import given
from hypothesis import strategies as st

from trimtab import BrokerSelector, ConfigurationError, Producer, QueueRef
from trimtab.protocol import Verdict
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.dispatch import ANYWHERE, Dispatch, Leaders
from trimtab.sending.lane import Lane, Tick
from trimtab.sending.patience import LATE_MS, Patience
from trimtab.sending.telling import Here

NOW = 1_700_000_000_000
LEADERS = Leaders(["1", "2", "3", "1", "2", "3"], {"1": "a:1", "2": "b:1", "3": "c:1"})


def dispatch(selector: BrokerSelector | None = None) -> Dispatch[BrokerTimes]:
    """Turns of topic t, which three brokers lead."""
    made = Dispatch(selector or BrokerSelector(), lambda times: (times, times, times))
    made.learn("t", LEADERS, NOW)
    return made


def taken(made: Dispatch[BrokerTimes], count: int) -> list[tuple[int, str]]:
    """Take so many turns."""
    return [(turn[0], turn[1].broker) for turn in (made.turns["t"]() for _ in range(count))]


def out(broker: str, **said: object) -> Verdict:
    """A verdict that takes a broker out of use."""
    return Verdict(
        cluster="c",
        broker=broker,
        available=False,
        since_ms=NOW,
        until_ms=NOW + 30_000,
        reason="slow",
        panic=False,
        reports=5,
        errors=0,
        **said,  # type: ignore[arg-type]  # plain fields
    )


def test_turns_go_round_all_partitions() -> None:
    """Each in turn, with its leader's account at hand."""
    turns = taken(dispatch(), 12)

    assert Counter(dict.fromkeys(enumerate(LEADERS.brokers), 2)) == Counter(turns)
    assert turns[:6] == turns[6:]


def test_an_unknown_topic_is_left_to_the_client() -> None:
    """At once; and the topic is looked up from then on."""
    made = dispatch()

    assert ANYWHERE == made.turns["new"]()[0]
    assert ["t", "new"] == made.topics()


def test_a_slow_delivery_takes_its_broker_out_of_turn() -> None:
    """With the next tick, and until RocketMQ's table says otherwise."""
    made = dispatch()
    _, times, _ = made.turns["t"]()
    times.note(0.6)
    made.tick(NOW, 0.05)
    without = {broker for _, broker in taken(made, 12)}
    made.tick(NOW + 2_000, 0.05)

    assert {"1", "2", "3"} - {times.broker} == without
    assert {"1", "2", "3"} == {broker for _, broker in taken(made, 12)}


def test_the_slowest_delivery_of_a_tick_counts() -> None:
    """A fast one after it ends nothing, as in RocketMQ 5."""
    made = dispatch()
    _, times, _ = made.turns["t"]()
    for latency in (0.001, 5.0, 0.001):
        times.note(latency)

    made.tick(NOW, 0.05)

    assert times.broker not in {broker for _, broker in taken(made, 12)}


def test_a_verdict_takes_its_broker_out_of_turn() -> None:
    """Also for a producer that has seen nothing itself."""
    selector = BrokerSelector()
    selector.hear(out("2"), NOW)

    assert {"1", "3"} == {broker for _, broker in taken(dispatch(selector), 12)}


def test_a_broker_out_of_use_is_the_last_choice() -> None:
    """While the others have only been slow for this producer."""
    selector = BrokerSelector()
    selector.hear(out("2"), NOW)
    for broker in "13":
        selector.report(broker, 600, NOW)

    assert {"1", "3"} == {broker for _, broker in taken(dispatch(selector), 12)}
    assert {"1", "3"} == {selector.select(queues(), NOW).broker for _ in range(12)}


def test_a_tester_sends_one_message_a_second() -> None:
    """And then goes round the others again."""
    selector = BrokerSelector(reporter="me")
    selector.hear(out("2", testers=("me",)), NOW)
    made = dispatch(selector)
    before = [broker for _, broker in taken(made, 4)]
    made.tick(NOW + 1_000, 0.05)
    during = [broker for _, broker in taken(made, 5)]
    made.tick(NOW + 1_500, 0.05)
    after = [broker for _, broker in taken(made, 4)]

    assert "2" not in before + after
    assert ("2", 1) == (during[0], during.count("2"))


def test_a_second_try_goes_to_another_broker() -> None:
    """Whatever else is known."""
    made = dispatch()
    turns = [made.again("t", "1", NOW) for _ in range(20)]

    assert {"2", "3"} == {turn[1].broker for turn in turns if turn is not None}
    assert made.again("new", "1", NOW) is None


def test_a_topic_without_leaders_keeps_those_it_had() -> None:
    """They elect each other for a moment, and the client knows where to send."""
    made = dispatch()
    made.learn("t", Leaders([None] * 6, {}), NOW)

    assert 6 == len(set(taken(made, 6)))
    assert made.times_of("t", 0) is None


def test_a_stream_is_dealt_in_longer_turns() -> None:
    """Some 25 milliseconds' worth of it, so that brokers get batches."""
    made = dispatch()
    times = made.turns["t"]()[1]
    for _ in range(1_000):
        times.note(0.001)
    was_stream = made.tick(NOW, 0.05)  # 20,000 a second
    turns = taken(made, 6 * 512)

    assert was_stream
    assert dict.fromkeys(enumerate(LEADERS.brokers), 512) == Counter(turns)
    assert sum(now != before for before, now in pairwise(turns)) in {5, 6}  # the first is shorter


def test_every_eighth_of_a_stream_is_measured() -> None:
    """It counts for eight, and its sender asks for reports."""
    single, made = stream()
    turns = [made.turns["t"]() for _ in range(16)]
    polling = [place for place, (_, _, is_to_poll) in enumerate(turns) if is_to_poll]

    assert ("one", False) == single[1:]
    assert [8] == [later - place for place, later in pairwise(polling)]
    assert {"seven"} == {hand for _, hand, is_to_poll in turns if not is_to_poll}
    assert [320, 320, 320] == [it.count for it in made.close_window()]


def test_short_streams_are_counted_right_on_average(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their first messages may be measured as well as their eighth."""
    counted = 0
    for chance in range(8):
        monkeypatch.setattr("random.getrandbits", lambda _, chance=chance: chance)
        _, made = stream()
        counted += 8 * sum(made.turns["t"]()[2] for _ in range(4))

    assert 8 * 4 == counted


def stream() -> tuple[Any, Dispatch[Any]]:
    """Let so many messages be delivered that a stream is dealt; return a turn before that, too."""
    made: Dispatch[Any] = Dispatch(BrokerSelector(), lambda times: ("one", "seven", times))
    made.learn("t", LEADERS, NOW)
    single = made.turns["t"]()
    for times in made._times.values():  # noqa: SLF001 - nobody else has them here
        for _ in range(40):
            times.note_eighth(0.001)
    assert made.tick(NOW, 0.05)
    return single, made


@given(
    slow=st.dictionaries(st.sampled_from("123"), st.sampled_from([10, 600, 2_000, 16_000])),
    ejected=st.sets(st.sampled_from("123")),
    later=st.integers(0, 40_000),
)
def test_the_turns_are_those_that_selection_would_take(
    slow: dict[str, int], ejected: set[str], later: int
) -> None:
    """Dealing beforehand changes nothing but the cost."""
    selector = BrokerSelector()
    for broker in sorted(ejected):
        selector.hear(out(broker), NOW)
    for broker, latency in slow.items():
        selector.report(broker, latency, NOW)
    asked = {selector.select(queues(), NOW + later) for _ in range(12)}

    assert asked == set(selector.usable(queues(), NOW + later))


def queues() -> Sequence[QueueRef]:
    """The queues of topic t."""
    return [QueueRef("t", broker or "", number) for number, broker in enumerate(LEADERS.brokers)]


def test_a_deadline_is_cut_into_tries() -> None:
    """Each may be noticed a second late, and the last one still ends in time."""
    patience = Patience.of(30_000, 3)

    assert 9_000 == patience.try_ms
    assert [True, True, False] == [
        patience.allows(tries, 0.0, tries * (patience.try_ms + LATE_MS) / 1_000)
        for tries in (1, 2, 3)
    ]
    assert not patience.allows(1, 0.0, 21.0)


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"deadline": "5s"}, "^deadline: 3 tries need at least 6000 ms$"),
        ({"tries": 0}, "^tries: at least one is needed$"),
        ({"tries": "3"}, "^tries: '3' is no whole number$"),
        ({"tries": 2.5}, "^tries: 2.5 is no whole number$"),
        ({"report_every": "11s"}, "^report_every: it must be 10 s at most: the controller counts"),
        ({"control": None}, '^control: say where Kafka is, as in "localhost:9092"$'),
        ({"cluster": "a\nb"}, "^cluster: "),
        ({"reporter": "a\nb"}, "^reporter: "),
        ({"topic": ["t"]}, "^topic: a producer has no such option$"),
        ({"client": "kafka"}, '^client: "kafka" must be one of confluent, kafka-python$'),
        ({"kafka": {"no.such.option": 1}}, r'^kafka: .*"no\.such\.option"'),
    ],
)
def test_a_mistake_is_named(options: dict[str, object], refusal: str) -> None:
    """At once, by the argument's name."""
    with pytest.raises(ConfigurationError, match=refusal):
        Producer("localhost:1", **options)  # type: ignore[arg-type]  # wrong ones


def test_pauses_may_begin_where_ours_would_end() -> None:
    """No client of librdkafka takes a beginning above the end."""
    kafka = {"reconnect.backoff.ms": 2_000}
    producer = Producer("localhost:1", client="confluent", central=False, kafka=kafka)

    assert 0 == producer.close("1ms")


def test_all_threads_share_one_client_for_messages_with_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also if they are the first to need it, all at once: another one would never be settled."""
    made: list[Lane] = []

    def slowly(client: ConfluentProducer, tick: Tick, here: Here) -> Lane:
        time.sleep(0.05)
        made.append(Lane(client, tick, here))
        return made[-1]

    producer = Producer("localhost:1", client="confluent", central=False)
    monkeypatch.setattr("trimtab.sending.confluent.Lane", slowly)
    given_up: list[object] = []
    send = partial(producer.send, "t", b"v", b"k", on_delivery=lambda it, _: given_up.append(it))
    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = producer.close("1ms")

    assert (1, 4, 4) == (len(made), len(given_up), left)


def test_a_callback_that_fails_fails_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever serves reports at that moment sends another message, or closes the producer."""

    def fail(_error: object, _message: object) -> None:
        raise LookupError

    producer = Producer("localhost:1", client="confluent", central=False)
    for key in (b"k", None):
        producer.send("t", b"v", key, fail)

    assert 2 == producer.close("1ms")
    assert 2 == caplog.text.count("a callback failed")
