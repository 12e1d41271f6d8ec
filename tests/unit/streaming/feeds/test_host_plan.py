"""What the jury is told of topics, and when."""

from streaming.feeds.host_plan import LEASE_MS, RENEWAL_S, HostPlan
from trimtab.protocol import LATENCY, Hosts, limits

ONE, TWO = {"1": "east-1:9092"}, {"1": "east-1:9092", "2": "east-2:9092"}


def plan(topics_max: int = 10) -> HostPlan:
    """A plan that has said nothing."""
    return HostPlan("trimtab.", topics_max)


def said(news: list[Hosts]) -> dict[str, tuple[str, ...]]:
    """The brokers of each topic."""
    return {hosts.topic: hosts.brokers for hosts in news}


def test_only_news_is_said() -> None:
    """A topic at first, then when a leader or an address changes; never the same again."""
    book = plan()
    (first,) = book.news({"orders": TWO}, 0)
    assert (("1", "2"), ("east-1:9092", "east-2:9092")) == (first.brokers, first.addresses)
    assert [] == book.news({"orders": TWO}, 0)

    assert {"orders": ("1",)} == said(book.news({"orders": ONE}, 0))
    assert {"orders": ("1",)} == said(book.news({"orders": {"1": "west-1:9092"}}, 0))


def test_a_topic_that_nobody_leads_is_as_it_was() -> None:
    """An election is no answer, and no answer is never taken for "none"."""
    book = plan()
    assert [] == book.news({"orders": {}}, 0)
    book.news({"orders": ONE}, 0)
    assert [] == book.news({"orders": {}}, 0)
    assert [] == book.news({"orders": ONE}, 0)


def test_a_topic_is_gone_when_it_was_missed_twice() -> None:
    """A broker that has just come back may not know of it yet; what is gone is said once."""
    book = plan()
    book.news({"orders": ONE}, 0)
    assert [] == book.news({}, 0)
    assert [] == book.news({"orders": ONE}, 0)
    assert [] == book.news({}, 0)
    (gone,) = book.news({}, 0)
    assert Hosts(topic="orders", brokers=()) == gone

    assert [] == book.news({}, 0)
    book.taken(gone)
    assert [] == book.news({}, 0)
    assert {"orders": ("1",)} == said(book.news({"orders": ONE}, 0))


def test_what_kafka_did_not_take_is_said_again() -> None:
    """Whether it was about a topic that is there or about one that is gone."""
    book = plan()
    (hosts,) = book.news({"orders": ONE}, 0)
    book.lost(hosts)
    assert [hosts] == book.news({"orders": ONE}, 0)
    book.taken(hosts)

    book.news({}, 0)
    (gone,) = book.news({}, 0)
    book.lost(gone)
    assert [gone] == book.news({}, 0)


def test_topics_without_a_choice_of_broker_are_passed_over() -> None:
    """Kafka's own, and ours."""
    assert [] == plan().news({"__consumer_offsets": ONE, "trimtab.members": ONE}, 0)


def test_a_topic_on_very_many_brokers_is_said_to_be_on_some() -> None:
    """As many as a record can name: fewer than there are is on the safe side."""
    many = {str(number): "a" for number in range(limits.BROKERS_PER_REPORT + 1)}
    (hosts,) = plan().news({"wide": many}, 0)

    assert limits.BROKERS_PER_REPORT == len(hosts.brokers)


def test_no_more_topics_are_said_than_the_jury_remembers() -> None:
    """Those that were first stay; when one of them goes, another has its place."""
    book = plan(topics_max=2)
    assert {"a": ("1",), "b": ("1",)} == said(book.news({"a": ONE, "b": ONE, "c": ONE}, 0))
    assert 1 == book.beyond
    book.news({"b": ONE, "c": ONE}, 0)
    for hosts in book.news({"b": ONE, "c": ONE}, 0):
        book.taken(hosts)

    assert {"c": ("1",)} == said(book.news({"b": ONE, "c": ONE}, 0))
    assert 0 == book.beyond


def test_everything_is_said_again_while_its_last_record_is_there() -> None:
    """With how long it holds, so that what nobody says again can be forgotten."""
    book = plan()
    first = book.news({"orders": ONE, "payments": TWO}, 0)
    assert {LEASE_MS} == {hosts.lease_ms for hosts in first}
    assert [] == book.news({"orders": ONE, "payments": TWO}, RENEWAL_S - 1)
    assert first == book.news({"orders": ONE, "payments": TWO}, RENEWAL_S)
    assert [] == book.news({"orders": ONE, "payments": TWO}, RENEWAL_S + 1)
    assert LATENCY.retention_ms is not None
    assert 2 * RENEWAL_S * 1_000 <= LATENCY.retention_ms < LEASE_MS
