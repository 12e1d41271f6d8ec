"""The endpoint: what a probe, a load balancer or Prometheus asks the controller by HTTP.

``/livez``: the process works. ``/readyz``: it commits batches. ``/metrics``: Prometheus' text. Each
answer is made when it is asked for. It listens on loopback unless it is told otherwise, shows names
of groups and brokers, and accepts no commands.

Run by ``application``. Its one rule: whoever asks, and however slowly, holds up nothing else.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import (
    AF_INET,
    AF_INET6,
    IPPROTO_IPV6,
    IPV6_V6ONLY,
    SHUT_RDWR,
    has_dualstack_ipv6,
    socket,
)
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

_ASKING: Final = 16
"""Connections at a time; Prometheus and a few probes need one each, for milliseconds."""
_PATIENCE_S: Final = 5.0
"""How long whoever has connected may take to ask."""
_ALL: Final = "::"
"""All addresses, of IPv4 as well: a cluster has the one, the other, or both."""
_ALL_OF_IPV4: Final = "0.0.0.0"  # noqa: S104 - where somebody has set `_ALL`
TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class EndpointNotServed(Exception):  # noqa: N818 - it names what happened
    """The address cannot be listened on."""


class State(NamedTuple):
    """What a check finds."""

    is_well: bool
    details: Mapping[str, object]


Check = Callable[[], State]


class Asked(NamedTuple):
    """What can be asked for."""

    checks: Mapping[str, Check]
    """By path."""
    metrics: Callable[[], str]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], asked: Asked) -> None:
        self._asking: list[socket] = []
        """The oldest first."""
        self._lock = Lock()
        self.address_family = AF_INET6 if ":" in address[0] else AF_INET
        super().__init__(address, partial(_Handler, asked))

    def server_bind(self) -> None:
        """Listen, without the look-up of our own name that ``HTTPServer`` makes."""
        if self.server_address[0] == _ALL:
            self.socket.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, 0)
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]  # a host is text

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - of socketserver
        """Answer in a thread; whoever asks for the longest time makes room for a probe."""
        with self._lock:
            self._asking.append(request)
            oldest = self._asking.pop(0) if len(self._asking) > _ASKING else None
        if oldest is not None:
            with suppress(OSError):  # it has gone by itself
                oldest.shutdown(SHUT_RDWR)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as above
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock, suppress(ValueError):  # it has made room
                self._asking.remove(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as above
        """Say nothing: whoever asked has gone away."""


class _Handler(BaseHTTPRequestHandler):
    timeout = _PATIENCE_S
    server_version, sys_version = "trimtab", ""

    def __init__(self, asked: Asked, *given: Any) -> None:  # noqa: ANN401 - as above
        self._asked = asked
        super().__init__(*given)

    def do_GET(self) -> None:
        """Answer."""
        path = urlsplit(self.path).path
        check = self._asked.checks.get(path)
        if check is not None:
            well, details = check()
            status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
            self._answer(status, json.dumps({"ok": well, **details}), "application/json")
        elif path == "/metrics":
            self._answer(HTTPStatus.OK, self._asked.metrics(), TEXT)
        else:
            there = ", ".join((*self._asked.checks, "/metrics"))
            self._answer(HTTPStatus.NOT_FOUND, f"there is: {there}", TEXT)

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def _answer(self, status: HTTPStatus, text: str, kind: str) -> None:
        body = f"{text.rstrip()}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - http.server's name
        """Say nothing: a probe each second is no news."""


@contextmanager
def served(address: str, port: int, asked: Asked) -> Iterator[str]:
    """Serve meanwhile; yields where.

    Raises:
        EndpointNotServed: The address cannot be listened on.
    """
    if address == _ALL and not has_dualstack_ipv6():
        address = _ALL_OF_IPV4
    try:
        server = _Server((address, port), asked)
    except OSError as error:
        raise EndpointNotServed(
            f"cannot listen on {address}:{port}: {error.strerror or error}; set "
            "controller.http_address and controller.http_port, or the port to 0 to serve none"
        ) from error
    thread = Thread(target=server.serve_forever, name="endpoint", daemon=True)
    thread.start()
    try:
        host = f"[{address}]" if ":" in address else address
        yield f"http://{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
