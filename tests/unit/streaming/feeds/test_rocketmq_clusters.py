"""Which of several clusters of RocketMQ a topic is of."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest
import structlog
from structlog.testing import capture_logs

from streaming.feeds.announcements import Seen
from streaming.feeds.rocketmq_clusters import RocketMQClusters
from tests.builders.name_server import NONE_KNOWN, answering
from tests.unit.streaming.feeds.test_name_server import OF_4
from trimtab.protocol import RunRef

NOBODY = ("127.0.0.1", 1)
OF_1 = (
    b'{"brokerDatas":[],"queueDatas":'
    b'[{"brokerName":"other","perm":6,"readQueueNums":1,"writeQueueNums":1}]}'
)
FIRST = Seen((RunRef("broker-a", 0, 2), RunRef("broker-b", 0, 4)))
SECOND = Seen((RunRef("other", 0, 1),))
GONE = Seen(None)


@contextmanager
def clusters(*routes: dict[str, bytes] | None) -> Iterator[RocketMQClusters]:
    """Clusters with these topics; None: one that does not answer."""
    with ExitStack() as stack:
        places = [NOBODY if it is None else stack.enter_context(answering(it)) for it in routes]
        found = RocketMQClusters([(it,) for it in places], structlog.get_logger())
        yield stack.enter_context(closing(found))


def test_each_topic_has_the_queues_of_the_cluster_that_has_it() -> None:
    """And one that none has is gone."""
    with clusters({"orders": OF_4}, {"visits": OF_1}) as found:
        seen = found.look(["orders", "visits", "payments"])

    assert {"orders": FIRST, "visits": SECOND, "payments": GONE} == seen


def test_a_topic_of_two_clusters_is_the_first_ones_and_that_is_said_once() -> None:
    """Their queues are never mixed: no consumer could work on both."""
    with clusters({"orders": OF_4}, {"orders": OF_1}) as found, capture_logs() as logs:
        seen = [found.look(["orders"]) for _ in range(2)]

    assert [{"orders": FIRST}] * 2 == seen
    assert [("warning", "orders", 2)] == [
        (it["log_level"], it["topic"], len(it["clusters"])) for it in logs
    ]
    assert logs[0]["clusters"][0] == logs[0]["counts"]


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        pytest.param((None, {"orders": OF_1}), {}, id="it may be the first one's"),
        pytest.param(({"orders": OF_4}, None), {"orders": FIRST}, id="who comes later has no say"),
        pytest.param(({}, None), {}, id="it may be the second one's"),
        pytest.param((None, None), {}, id="nobody knows"),
    ],
)
def test_a_cluster_that_does_not_answer_says_nothing(
    routes: tuple[dict[str, bytes] | None, ...], expected: dict[str, Seen]
) -> None:
    """It neither has a topic nor has it not."""
    with clusters(*routes) as found:
        assert expected == found.look(["orders"])


def test_a_topic_stays_its_clusters_until_that_one_has_it_no_more() -> None:
    """A name server that was started anew, and knows no broker, takes nothing from the second."""
    first, second = dict[str, bytes](), {"orders": OF_1}
    with clusters(first, second) as found, capture_logs() as logs:
        assert {"orders": SECOND} == found.look(["orders"])
        first["orders"] = OF_4
        assert {"orders": SECOND} == found.look(["orders"]), "it has moved nowhere"
        del second["orders"]
        assert {"orders": FIRST} == found.look(["orders"])
        del first["orders"]
        assert {"orders": GONE} == found.look(["orders"])

    (said,) = logs
    assert said["clusters"][1] == said["counts"], "who believes the log would stop the others"


def test_one_that_was_started_anew_says_nothing() -> None:
    """It knows no broker yet; the other one, which has no such topic, is no authority on it."""
    with (
        answering({}, known=NONE_KNOWN) as young,
        answering({}) as other,
        closing(RocketMQClusters([(young,), (other,)], structlog.get_logger())) as found,
    ):
        assert {} == found.look(["orders"])
