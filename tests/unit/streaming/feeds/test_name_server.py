"""RocketMQ's name server, as the route watcher asks it; and servers that are none."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import structlog
from structlog.testing import capture_logs

from streaming.feeds import name_server
from streaming.feeds.announcements import Seen
from streaming.feeds.name_server import NameServers, route
from streaming.feeds.remoting import Answer, Garbage, answer, receive, request
from streaming.process.trouble import Trouble
from tests.builders.name_server import KNOWN, NONE_KNOWN, answering, framed
from trimtab.protocol import RunRef

QUICK_S = 0.2
PATIENT_S = 60.0
OF_4 = (
    b'{"brokerDatas":[{"brokerAddrs":{0:"127.0.0.1:1"},"brokerName":"broker-b","cluster":"c"}],'
    b'"queueDatas":[{"brokerName":"broker-b","perm":6,"readQueueNums":4,"writeQueueNums":8},'
    b'{"brokerName":"broker-a","perm":6,"readQueueNums":2,"writeQueueNums":2},'
    b'{"brokerName":"broker-c","perm":2,"readQueueNums":2,"writeQueueNums":2}]}'
)
"""As RocketMQ 4 writes it: the id of a broker is a bare number."""


@pytest.fixture(autouse=True)
def _patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who answers may take its time on a busy machine; marked, a test says how long it may."""
    mark = request.node.get_closest_marker("waits")
    monkeypatch.setattr(name_server, "_TIMEOUT_S", mark.args[0] if mark else PATIENT_S)


@contextmanager
def server(says: bytes) -> Iterator[tuple[str, int]]:
    """One that says the same to whoever comes, and then nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        callers: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    callers.append(listening.accept()[0])
                    callers[-1].sendall(says)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for caller in callers:
                caller.close()


def servers(*addresses: tuple[str, int]) -> NameServers:
    """Those at these addresses."""
    return NameServers(addresses, Trouble(structlog.get_logger(), "read RocketMQ's routes"))


def test_queues_are_those_that_may_be_read() -> None:
    """As many as its client has on each broker that it may read; the order is that of the names."""
    runs = (RunRef("broker-a", 0, 2), RunRef("broker-b", 0, 4))

    assert Seen(runs) == route("orders", Answer(0, 1, OF_4, ""))


def test_only_its_own_word_says_that_there_is_no_topic() -> None:
    """Any other failure leaves the topic as it was seen last."""
    assert Seen(None) == route("orders", Answer(17, 1, b"", "No topic route info"))
    assert route("orders", Answer(1, 1, b"", "busy")) is None


def test_a_static_topic_is_no_route() -> None:
    """Its clients know its queues by other names, and would work on none that is granted."""
    body = OF_4[:-1] + b',"topicQueueMappingByBroker":{"broker-a":{"totalQueues":4}}}'

    with pytest.raises(Garbage, match="orders: a static topic"):
        route("orders", Answer(0, 1, body, ""))
    empty = OF_4[:-1] + b',"topicQueueMappingByBroker":{}}'
    assert route("orders", Answer(0, 1, OF_4, "")) == route("orders", Answer(0, 1, empty, ""))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"queueDatas":[{}]}',
        b'{"queueDatas":[{"brokerName":"a","perm":"6","readQueueNums":4}]}',
        b'{"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":1e999}]}',
    ],
)
def test_garbage_is_no_route(body: bytes) -> None:
    """Nothing is made of what cannot be read."""
    with pytest.raises(Garbage, match='topic "orders"'):
        route("orders", Answer(0, 1, body, ""))


@pytest.mark.parametrize("header", [b"", b"1", b"{}", b'{"code":"0","opaque":1}', b"[" * 100_000])
def test_garbage_is_no_header(header: bytes) -> None:
    """As above."""
    with pytest.raises(Garbage):
        answer(header, b"")


@pytest.mark.waits(2.0)  # for one that is slow, and for the next one
@pytest.mark.parametrize(
    "says",
    [
        b"",  # it is slow
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        struct.pack(">II", 0x7FFFFFFF, 10),
        struct.pack(">II", 4, 10),
        struct.pack(">II", 20, 1 << 24) + bytes(16),
        framed(KNOWN, opaque=99),
        framed(KNOWN) + framed(OF_4, opaque=99),
        framed(KNOWN) + framed(b'{"queueDatas":0}', opaque=2),  # of no topic a route can be read
        framed(b"[]"),
        framed(NONE_KNOWN),
    ],
)
def test_the_next_one_is_asked_if_one_cannot_answer(says: bytes) -> None:
    """Once it is told what is wrong, and it bounds the wait and what is read."""
    with server(says) as bad, answering({"orders": OF_4}) as good:
        asked = servers(bad, good)
        with capture_logs() as logs:
            found = asked.look(["orders"])
        asked.close()

    assert 6 == found["orders"].queues
    assert 1 == len([it for it in logs if it["log_level"] == "warning"])


def test_what_a_server_remarks_is_a_line() -> None:
    """People read it on a terminal, and in a log."""
    said = answer(json.dumps({"code": 1, "opaque": 1, "remark": "a\n\x1b[2J" * 99}).encode(), b"")

    assert said.remark.startswith("a??[2Ja??")
    assert 300 == len(said.remark)


def test_a_good_server_answers() -> None:
    """And is asked again on the same connection."""
    with answering({"orders": OF_4}) as good:
        asked = servers(good)
        assert 6 == asked.look(["orders"])["orders"].queues
        assert {"payments": Seen(None)} == asked.look(["payments"])
        asked.close()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":4000000}]}', "huge: "),
        (b'{"queueDatas":[{"brokerName":"a","perm":null,"readQueueNums":4}]}', 'topic "huge"'),
        (b"[]", 'topic "huge"'),
    ],
)
def test_a_topic_that_no_record_could_describe_concerns_no_other(body: bytes, reason: str) -> None:
    """It has too many queues, or cannot be read; the others' are seen, and the log names it."""
    with answering({"early": OF_4, "huge": body, "orders": OF_4}) as good:
        asked = servers(good)
        with capture_logs() as logs:
            seen = asked.look(["early", "huge", "orders"])
        asked.close()

    assert ["early", "orders"] == [*seen]
    assert [reason in it["reason"] for it in logs] == [True]


def test_one_that_knows_no_broker_is_not_believed() -> None:
    """It was started anew: "no such topic" of all topics would take every queue from everybody."""
    with answering({}, known=NONE_KNOWN) as young:
        asked = servers(young)
        with capture_logs() as logs:
            assert {} == asked.look(["orders"])
        asked.close()

    assert ["it knows no broker yet" in it["reason"] for it in logs] == [True]


def test_one_that_does_not_tell_its_brokers_is_believed_in_what_it_has() -> None:
    """What it has not may be what it does not know yet."""
    answers = framed(b"", 1, code=3) + framed(OF_4, 2) + framed(b"", 3, code=17)
    with server(answers) as secretive:
        asked = servers(secretive)
        found = asked.look(["orders", "payments"])
        asked.close()

    assert {"orders": 6} == {topic: it.queues for topic, it in found.items()}


@pytest.mark.waits(QUICK_S)
def test_one_that_hangs_does_not_hold_up_who_asks() -> None:
    """It rests longer than it waits: Kafka's routes are read meanwhile."""
    with server(b"") as hung:
        asked = servers(hung)
        begun = time.monotonic()
        assert {} == asked.look(["orders"])
        waited_until = time.monotonic()
        assert {} == asked.look(["orders"])
        again_s = time.monotonic() - waited_until
        asked.close()

    assert again_s < QUICK_S <= waited_until - begun


@pytest.mark.waits(1.0)
def test_one_that_is_slow_does_not_hold_up_who_asks() -> None:
    """It is asked for the rest later, and joins and Kafka's routes are read meanwhile."""
    topics = [f"t{number:02}" for number in range(30)]
    with answering(dict.fromkeys(topics, OF_4), pause_s=0.1) as slow:
        asked = servers(slow)
        with capture_logs() as logs:
            first = asked.look(topics)
            assert {} == asked.look(topics), "it rests"
            asked._asks_again_at = 0.0  # noqa: SLF001 - time has passed
            then = asked.look(topics)
        asked.close()

    assert 0 < len(first) < 30
    assert {*topics[len(first) :][: len(then)]} == {*then}
    assert ["too slow" in it["reason"] for it in logs] == [True]


@pytest.mark.waits(0.4)
@pytest.mark.parametrize("between", [[], ["new"]])
def test_one_that_is_slow_is_asked_for_every_topic_in_turn(between: list[str]) -> None:
    """However few it answers at a time; what others ask meanwhile changes nothing."""
    topics = [f"t{number:02}" for number in range(20)]
    seen = set[str]()
    with answering(dict.fromkeys(topics, OF_4), pause_s=0.05) as slow:
        asked = servers(slow)
        for wanted in [topics, between] * 20:
            asked._asks_again_at = 0.0  # noqa: SLF001 - time has passed
            seen |= set() if seen >= {*topics} else asked.look(wanted).keys()
        asked.close()

    assert seen >= {*topics}


@pytest.mark.waits(1.0)
def test_what_one_is_too_slow_for_the_next_one_is_asked() -> None:
    """It may be quick, and then is asked from then on."""
    routes = {f"t{number:02}": OF_4 for number in range(30)}
    with answering(routes, pause_s=0.1) as slow, answering(routes) as quick:
        asked = servers(slow, quick)
        assert 0 < len(asked.look(routes)) < 30
        asked._asks_again_at = 0.0  # noqa: SLF001 - time has passed
        assert [30, 30] == [len(asked.look(routes)) for _ in range(2)]
        asked.close()


def test_one_that_says_a_byte_now_and_then_does_not_hold_up_who_asks() -> None:
    """Each byte is in time, and the answer would be there after a year."""
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def drip() -> None:
        theirs.sendall(struct.pack(">II", 10_000_000, 100))
        while not stop.wait(QUICK_S / 10):
            theirs.sendall(b" ")

    dripping = threading.Thread(target=drip)
    with ours, theirs:
        ours.settimeout(5 * QUICK_S)  # a busy machine lets no byte through for a while, too
        dripping.start()
        try:
            with pytest.raises(TimeoutError, match="too slowly"):
                receive(ours)
        finally:
            stop.set()
            dripping.join()


def test_nobody_is_asked_for_nothing() -> None:
    """Most controllers have no RocketMQ."""
    assert {} == servers().look(["orders"])
    assert {} == servers(("127.0.0.1", 1)).look([])


def test_a_request_is_a_frame() -> None:
    """Its lengths are those of the protocol."""
    frame = request(105, 7, {"topic": "orders"})
    length, header_length = struct.unpack(">II", frame[:8])

    assert len(frame) == length + 4 == header_length + 8
    assert {"topic": "orders"} == json.loads(frame[8:])["extFields"]
