"""Verdicts become records of `brokers`, and of `history` when they are news."""

from dataclasses import replace

from rebalance.brokers.decisions import VerdictIssued, VerdictWithdrawn
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.ids import BrokerName, Millis
from sinks import Outlet
from sinks.brokers import verdict_records
from trimtab.protocol import BROKERS, HISTORY, Verdict, decode, partition_of, read_broker_key

OUTLET = Outlet("t.", 8)
CLUSTER, BROKER = ClusterName("east"), BrokerName("b/1")
ISSUED = VerdictIssued(
    CLUSTER,
    BROKER,
    available=False,
    since_ms=Millis(5),
    until_ms=Millis(9),
    reason="it\nfails",
    detector="failures",
    panic=False,
    testers=(ReporterId("p"),),
    shadow=None,
    reports=3,
    errors=7,
    turned=True,
)


def test_a_verdict_that_turned_is_published_and_noted() -> None:
    """Under its broker's key, in the partition of its cluster; field for field."""
    published, noted = verdict_records(ISSUED, OUTLET)

    assert ("t.brokers", "t.history") == (published.topic, noted.topic)
    assert {partition_of("east", 8)} == {published.partition, noted.partition}
    assert ("east", "b/1") == read_broker_key(published.key)
    assert (b"east", published.value) == (noted.key, noted.value)
    assert ("schema", b"trimtab.verdict/1") in published.headers
    read = decode(BROKERS, published.value)
    assert isinstance(read, Verdict)
    assert read == decode(HISTORY, noted.value)
    told = (read.available, read.until_ms, read.detector, read.testers, read.errors)
    assert (False, 9, "failures", ("p",), 7) == told
    assert "it?fails" == read.reason


def test_a_verdict_said_again_is_no_news() -> None:
    """It goes to the producers alone."""
    (record,) = verdict_records(replace(ISSUED, turned=False, testers=()), OUTLET)

    assert "t.brokers" == record.topic
    assert b"testers" not in (record.value or b"")


def test_a_forgotten_broker_leaves_no_record() -> None:
    """Its tombstone stands under the same key."""
    (record,) = verdict_records(VerdictWithdrawn(CLUSTER, BROKER), OUTLET)

    assert (b"east/b/1", None) == (record.key, record.value)
