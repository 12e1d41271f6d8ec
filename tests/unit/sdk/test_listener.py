"""What listens at an address, asked of sockets that answer as Kafka does, or as others do."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from trimtab.transports.listener import Listener, Silence, look

NOT_THE_TIME = struct.pack(">ihi", 0, 34, 0)
MECHANISMS = struct.pack(">ihi", 0, 33, 2) + b"\x00\x05PLAIN\x00\x0dSCRAM-SHA-512"
Manner = Callable[[socket.socket], object]


def answers(body: bytes) -> Manner:
    """Answers each request with this."""

    def manner(link: socket.socket) -> None:
        if len(link.recv(4096)) == REQUEST:
            link.sendall(struct.pack(">i", len(body)) + body)

    return manner


REQUEST = 4 + 2 + 2 + 4 + 2 + 2
"""Bytes of a SaslHandshake: its length, three numbers, and two empty texts."""


@contextmanager
def listening(manner: Manner) -> Iterator[str]:
    """Listen in this manner, and say where."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def serve() -> None:
            while True:
                link, _ = server.accept()
                with link:
                    if over.is_set():
                        return
                    manner(link)

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        try:
            yield f"127.0.0.1:{port}"
        finally:
            over.set()
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()


@pytest.mark.parametrize("tls", [False, True])
def test_it_tells_whether_it_wants_a_password(*, tls: bool) -> None:
    """Whatever was tried first."""
    with listening(answers(NOT_THE_TIME)) as server:
        assert Listener(server, "PLAINTEXT") == look(server, tls=tls)
    with listening(answers(MECHANISMS)) as server:
        found = look(server, tls=tls)
    assert Listener(server, "SASL_PLAINTEXT", ("PLAIN", "SCRAM-SHA-512")) == found


@pytest.mark.parametrize(
    "manner",
    [
        lambda link: link.recv(4096) and link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        lambda link: link.recv(4096),
        answers(b"\x00"),
        answers(struct.pack(">ihi", 0, 33, 1_000)),
        answers(struct.pack(">ihi", 0, 0, 0)),
    ],
    ids=["http", "closes", "short", "lies", "another code"],
)
def test_what_answers_otherwise_is_no_kafka(manner: Manner) -> None:
    """Whatever it says."""
    with listening(manner) as server:
        assert Silence.NOT_KAFKA is look(server, tls=False).silence


def test_what_says_nothing_is_told_from_what_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen broker takes connections: the operating system does that for it."""
    monkeypatch.setattr("trimtab.transports.listener._PATIENCE_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        frozen = look(address, tls=False)
    gone = look(address, tls=False)
    nowhere = look("no-such-host.invalid:9092", tls=False)

    assert (Silence.NO_ANSWER, Silence.REFUSED, Silence.NO_HOST) == (
        frozen.silence,
        gone.silence,
        nowhere.silence,
    )
