"""Who takes part in groups of RocketMQ's, as its brokers say."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from streaming.feeds import consumer_lists
from streaming.feeds.consumer_lists import clients
from streaming.feeds.remoting import Garbage
from tests.builders.name_server import answering

NOBODY = ("127.0.0.1", 1)
OF_TWO = b'{"consumerIdList":["10.0.0.1@a","10.0.0.2@b"]}'
TOPICS = {"billing": ["orders", "%RETRY%billing"], "visits": ["orders"]}


@contextmanager
def cluster(
    consumers: bytes = OF_TWO, addresses: str = '{0:"127.0.0.1:%d"}'
) -> Iterator[tuple[str, int]]:
    """A name server, and a broker in one, whose only topic is `orders`."""
    routes: dict[str, bytes] = {}
    with answering(routes, consumers={"billing": consumers}) as place:
        at = addresses % place[1] if "%d" in addresses else addresses
        one = f'{{"brokerAddrs":{at},"brokerName":"broker-a","cluster":"c"}}'
        routes["orders"] = f'{{"brokerDatas":[{one}],"queueDatas":[]}}'.encode()
        yield place


def test_a_broker_names_the_clients_of_each_group() -> None:
    """A group that it does not know has none; a name server that is away is passed over."""
    with cluster() as place:
        assert {"billing": {"10.0.0.1@a", "10.0.0.2@b"}} == clients([[NOBODY, place]], TOPICS)


def test_clusters_are_put_together() -> None:
    """A client is on the lists of both."""
    with cluster() as first, cluster(b'{"consumerIdList":["c"]}') as second:
        found = clients([[first], [second]], TOPICS)

    assert {"billing": {"10.0.0.1@a", "10.0.0.2@b", "c"}} == found


def test_a_slave_is_asked_where_there_is_no_master() -> None:
    """Clients beat to it as well."""
    with cluster(addresses='{"2":"127.0.0.1:1","1":"127.0.0.1:%d"}') as place:
        assert clients([[place]], TOPICS)


@pytest.mark.parametrize(
    ("consumers", "addresses"),
    [
        (b"", None),
        (b"[]", None),
        (b'{"consumerIdList":7}', None),
        (b"[" * 100_000, None),
        (OF_TWO, "{}"),
        (OF_TWO, "[5]"),
        (OF_TWO, '{0:"nowhere"}'),
        (OF_TWO, "7"),
    ],
)
def test_what_cannot_be_read_is_not_taken_for_nobody(
    consumers: bytes, addresses: str | None
) -> None:
    """Whoever asks is told."""
    told = {} if addresses is None else {"addresses": addresses}
    with cluster(consumers, **told) as place, pytest.raises(Garbage):
        clients([[place]], TOPICS)


@pytest.mark.parametrize("asked", ["name server", "broker"])
def test_who_does_not_answer_is_named(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its address."""
    monkeypatch.setattr(consumer_lists, "_TIMEOUT_S", 0.2)
    with (
        cluster(addresses='{0:"127.0.0.1:1"}') as place,
        pytest.raises(OSError, match=r"^127\.0\.0\.1:1: "),
    ):
        clients([[NOBODY if asked == "name server" else place]], TOPICS)
