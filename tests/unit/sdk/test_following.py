"""What a follower is told of records."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from confluent_kafka import OFFSET_BEGINNING, KafkaError, TopicPartition

from tests.builders.sessions import assignment
from trimtab import ConfigurationError, Followed, TransportError, follow
from trimtab.following import Following
from trimtab.protocol import Assignment, encode, member_key

KEY = member_key("billing", "worker-2")
RECORD = assignment(4, member="worker-2")
LATER = RECORD.model_copy(update={"epoch": 5, "target_epoch": 5})


def told(known: Following, record: Assignment | None, key: bytes = KEY) -> Followed | None:
    """What is made of a record."""
    return known.news(key, None if record is None else encode(record))


def test_what_is_older_is_no_news() -> None:
    """Of an older controller that was frozen a record may come late."""
    known = Following("billing")
    said = [told(known, it) for it in (RECORD, LATER, RECORD, LATER)]

    assert [Followed("worker-2", RECORD), Followed("worker-2", LATER), None, None] == said


def test_who_is_gone_is_told_once() -> None:
    """By a tombstone; of whom nobody knew, nothing."""
    known = Following("billing")
    told(known, RECORD)

    assert [Followed("worker-2", None), None] == [told(known, None), told(known, None)]


def test_who_is_gone_comes_back_by_what_is_newer_only() -> None:
    """A late record of an older controller may also come after the tombstone."""
    known = Following("billing")
    for it in (LATER, None):
        told(known, it)
    younger = RECORD.model_copy(update={"incarnation": "9999999999999-ffffffff"})

    assert [None, None] == [told(known, RECORD), told(known, LATER)]
    assert Followed("worker-2", younger) == told(known, younger)


def test_of_very_many_that_are_gone_the_first_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Names may be new with each process, and a follower lives for long."""
    monkeypatch.setattr("trimtab.following._MOST_GONE", 2)
    known = Following("billing")
    keys = [member_key("billing", f"worker-{it}") for it in range(3)]
    for key in keys:
        told(known, RECORD, key)
        told(known, None, key)

    assert [True, False, False] == [told(known, RECORD, it) is not None for it in keys]


class Topic:
    """A consumer of a topic in memory: it has so much at first, and then the rest."""

    def __init__(self, records: list[Assignment | None], at_first: int, key: bytes = KEY) -> None:
        self.key = key
        self._polls = self._read(records)
        self._end = at_first

    def list_topics(self, topic: str, _: float) -> object:
        """It has one partition."""
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions=[0])})

    def get_watermark_offsets(self, *_: object) -> tuple[int, int]:
        """Where it began and ended."""
        return 0, self._end

    def assign(self, places: list[TopicPartition]) -> None:
        """Read it."""
        self.begun_at = places[0].offset

    def poll(self, _: float) -> object:
        """Take the next one."""
        return next(self._polls, None)

    def close(self) -> None:
        """It is closed."""

    def _read(self, records: list[Assignment | None]) -> Iterator[object]:
        for offset, it in enumerate(records):
            value = None if it is None else encode(it)
            said = {"error": None, "offset": offset, "key": self.key, "value": value}
            yield SimpleNamespace(**{name: lambda it=it: it for name, it in said.items()})
        end = KafkaError(KafkaError._PARTITION_EOF)  # noqa: SLF001 - its documented name
        yield SimpleNamespace(error=lambda: end)


def followed(
    monkeypatch: pytest.MonkeyPatch, records: list[Assignment | None], at_first: int
) -> list[Assignment | None]:
    """What is told of a topic, until nothing more comes."""
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: Topic(records, at_first))
    polls = itertools.count()
    is_over = lambda: next(polls) > len(records) + 1  # noqa: E731 - one line
    return [it.assignment for it in follow("kafka:9092", group="billing", is_over=is_over)]


def test_the_last_of_each_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compacted topic still has older ones; what comes after its end is told one by one."""
    last = LATER.model_copy(update={"epoch": 6})

    assert [LATER, last] == followed(monkeypatch, [RECORD, LATER, last], 2)
    assert [last] == followed(monkeypatch, [RECORD, LATER, last], 3)


def test_who_was_gone_before_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a late record of it, also where that comes when the rest has been read."""
    assert [] == followed(monkeypatch, [LATER, None, RECORD], 3)
    assert [] == followed(monkeypatch, [LATER, None, RECORD], 2)
    assert [LATER, None] == followed(monkeypatch, [LATER, None, RECORD], 1)


def test_who_has_a_name_of_its_own_is_followed_by_the_name_that_it_shares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where twins are told apart, nobody knows the rest of it beforehand."""
    apart = f"worker-2@{RECORD.incarnation}"
    key = member_key("billing", apart)

    def told_of(member: str) -> list[Followed]:
        monkeypatch.setattr("confluent_kafka.Consumer", lambda _: Topic([RECORD, None], 1, key))
        polls = itertools.count()
        is_over = lambda: next(polls) > 3  # noqa: E731 - one line
        return list(follow("a:1", group="billing", member=member, is_over=is_over))

    expected = [Followed(apart, RECORD), Followed(apart, None)]
    assert (expected, expected) == (told_of("worker-2"), told_of(apart))
    assert [] == told_of("worker")


def test_the_end_may_be_reached_without_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stood last was deleted, or is an end of a transaction."""
    assert [LATER] == followed(monkeypatch, [RECORD, LATER], 9)


def test_what_is_long_past_is_not_told_by_who_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the end was reached nobody knows who is gone."""
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: Topic([RECORD, None], 2))
    polls = itertools.count()

    assert [] == list(follow("a:1", group="billing", is_over=lambda: next(polls) > 0))


def test_where_the_log_was_cut_it_reads_on_at_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Librdkafka would go on at the end, and nobody hear of what stands before that."""
    given: list[dict[str, object]] = []

    def made(settings: dict[str, object]) -> Topic:
        given.append(settings)
        return Topic([RECORD], 1)

    monkeypatch.setattr("confluent_kafka.Consumer", made)
    next(follow("a:1", group="billing"))

    assert ["earliest"] == [it["auto.offset.reset"] for it in given]


def test_a_client_that_says_nothing_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may never find Kafka again (H15); the new one reads on where that was."""
    silent, other = Topic([RECORD], 1), Topic([LATER], 2)
    clients = iter([silent, other])
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: next(clients))
    told = follow("a:1", group="billing")
    first = next(told).assignment
    monkeypatch.setattr("trimtab.partition_reading._WORN_S", -1.0)

    assert (RECORD, LATER, 1) == (first, next(told).assignment, other.begun_at)
    told.close()  # type: ignore[attr-defined]  # a generator


def test_what_is_said_of_the_group_is_no_sign_of_the_topic(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client must have a group, and may have no right to it: it is replaced as a silent one."""
    denied = KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED)
    silent, other = Topic([RECORD], 1), Topic([LATER], 2)
    clients = iter([silent, other])
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: next(clients))
    now = [0.0]
    monkeypatch.setattr("trimtab.partition_reading.now_s", lambda: now[0])
    told = follow("a:1", group="billing", is_over=lambda: now[0] > 200)
    assert RECORD == next(told).assignment

    def denies(_: float) -> object:
        now[0] += 40.0
        return SimpleNamespace(error=lambda: denied)

    monkeypatch.setattr(silent, "poll", denies)

    assert (LATER, []) == (next(told).assignment, caplog.records)
    told.close()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize(
    ("later", "news"), [([], [None]), ([RECORD], []), ([LATER], [LATER]), ([None, LATER], [LATER])]
)
def test_who_was_cut_off_for_long_reads_all_again(
    monkeypatch: pytest.MonkeyPatch, later: list[Assignment | None], news: list[Assignment | None]
) -> None:
    """Kafka has removed the tombstone of who is gone by then, and nothing else says it."""
    clients = iter([Topic([RECORD], 1), other := Topic(later, 0)])
    polls, now = itertools.count(), [0.0]
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: next(clients))
    monkeypatch.setattr("trimtab.partition_reading.now_s", lambda: now[0])
    told = follow("a:1", group="billing", is_over=lambda: next(polls) > len(later) + 1)
    first = next(told).assignment
    now[0] = 2 * 86_400.0

    assert (RECORD, news) == (first, [it.assignment for it in told])
    assert OFFSET_BEGINNING == other.begun_at


def test_who_was_frozen_for_long_while_it_waited_reads_all_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client that wakes has just read something, and is none that says nothing."""
    clients = iter([frozen := Topic([RECORD, LATER], 1), other := Topic([LATER], 0)])
    polls, now = itertools.count(), [0.0]
    monkeypatch.setattr("confluent_kafka.Consumer", lambda _: next(clients))
    monkeypatch.setattr("trimtab.partition_reading.now_s", lambda: now[0])
    told = follow("a:1", group="billing", is_over=lambda: next(polls) > 3)
    assert RECORD == next(told).assignment
    reads = frozen.poll

    def sleeps(seconds: float) -> object:
        now[0] += 86_400.0
        return reads(seconds)

    monkeypatch.setattr(frozen, "poll", sleeps)

    assert [LATER] == [it.assignment for it in told]
    assert OFFSET_BEGINNING == other.begun_at


@pytest.mark.parametrize("key", [member_key("others", "worker-2"), b"garbage", b"\xff/x"])
def test_what_concerns_others_or_nobody_is_left_out(key: bytes) -> None:
    """Several groups share a partition, and anybody with the right may write there."""
    assert told(Following("billing"), RECORD, key) is None


def test_what_cannot_be_read_is_left_out() -> None:
    """A newer controller may write what is not known here."""
    assert Following("billing").news(KEY, b"{}") is None


def test_a_wrong_option_is_an_error_that_names_it() -> None:
    """Before anything is asked."""
    with pytest.raises(ConfigurationError, match=r'^kafka: No such configuration property: "nope"'):
        next(follow("127.0.0.1:1", group="billing", kafka={"nope": 1}))


def test_a_kafka_that_nobody_reaches_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would wait without a word."""
    monkeypatch.setattr("trimtab.partition_reading._PATIENCE_S", 0.1)

    with pytest.raises(TransportError, match=r"^following, by Kafka at 127\.0\.0\.1:1: "):
        next(follow("127.0.0.1:1", group="billing", kafka={"log_level": 0}))
