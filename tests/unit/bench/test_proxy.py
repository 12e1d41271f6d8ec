"""The proxy before a broker, with a server that answers with what it was asked."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bench.brokers.proxy import Proxy

PATIENCE_S = 10.0
MOMENT_S = 0.3


class _Echo(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with suppress(ConnectionError):
            for line in self.rfile:
                self.wfile.write(line)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """One before a server of its own."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        with Proxy(0, server.server_address[1]) as between:
            yield between
        server.shutdown()
        thread.join()


def connected(proxy: Proxy) -> socket.socket:
    """A connection through it."""
    return socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_S)


def answer(client: socket.socket, question: bytes = b"?\n") -> bytes:
    """Ask, and read what comes."""
    client.sendall(question)
    return client.recv(64)


def is_broken(client: socket.socket) -> bool:
    """Wait for the end of a connection."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def test_what_is_cut_is_broken_until_it_is_mended(proxy: Proxy) -> None:
    """Those connections that are there, and new ones; afterwards new ones work."""
    with connected(proxy) as before:
        assert b"?\n" == answer(before)
        proxy.cut()
        assert is_broken(before)
    with connected(proxy) as meanwhile:
        assert is_broken(meanwhile)
    proxy.mend()
    with connected(proxy) as after:
        assert b"?\n" == answer(after)


@pytest.mark.slow
def test_what_is_held_up_arrives_when_it_goes_on(proxy: Proxy) -> None:
    """No connection ends, and no byte is lost, also of who has gone."""
    with connected(proxy) as client:
        assert b"?\n" == answer(client)
        proxy.stall()
        time.sleep(MOMENT_S)
        client.sendall(b"held up\n")
        client.settimeout(MOMENT_S)
        with pytest.raises(TimeoutError):
            client.recv(64)
        client.settimeout(PATIENCE_S)
        proxy.mend()
        assert b"held up\n" == client.recv(64)


@pytest.mark.parametrize("way", ["delay_s", "asking_delay_s"])
def test_what_is_late_is_late_by_so_much(proxy: Proxy, way: str) -> None:
    """Each way by itself; mended it is in time again."""
    with connected(proxy) as client:
        assert b"?\n" == answer(client)
        setattr(proxy, way, MOMENT_S)
        began = time.monotonic()
        assert b"?\n" == answer(client)
        assert MOMENT_S <= time.monotonic() - began
        proxy.mend()
        assert (0.0, 0.0) == (proxy.delay_s, proxy.asking_delay_s)
