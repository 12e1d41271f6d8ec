"""Verdicts become records of `brokers`, and of `history` when they are news."""

from dataclasses import replace

from rebalance.brokers.decisions import VerdictIssued, VerdictTurned, VerdictWithdrawn
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.ids import BrokerName, Millis
from sinks import Outlet
from sinks.brokers import verdict_record
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
)


def test_a_verdict_that_turned_is_published_and_noted() -> None:
    """Under its broker's key, in the partition of its cluster; field for field, and when it was."""
    turned = VerdictTurned(ISSUED, Millis(6))
    published, noted = verdict_record(ISSUED, OUTLET), verdict_record(turned, OUTLET)

    assert ("t.brokers", "t.history") == (published.topic, noted.topic)
    assert {partition_of("east", 8)} == {published.partition, noted.partition}
    assert ("east", "b/1") == read_broker_key(published.key)
    assert b"east" == noted.key
    assert ("schema", b"trimtab.verdict/1") in published.headers
    read = decode(BROKERS, published.value)
    assert isinstance(read, Verdict)
    assert read.model_copy(update={"at_ms": 6}) == decode(HISTORY, noted.value)
    told = (read.available, read.until_ms, read.detector, read.testers, read.errors)
    assert (False, 9, "failures", ("p",), 7) == told
    assert "it?fails" == read.reason


def test_what_a_verdict_lacks_is_left_out() -> None:
    """As everywhere; when it was said is for the history alone."""
    value = verdict_record(replace(ISSUED, testers=()), OUTLET).value or b""

    assert b"testers" not in value
    assert b"at_ms" not in value


def test_a_forgotten_broker_leaves_no_record() -> None:
    """Its tombstone stands under the same key."""
    record = verdict_record(VerdictWithdrawn(CLUSTER, BROKER), OUTLET)

    assert (b"east/b/1", None) == (record.key, record.value)
