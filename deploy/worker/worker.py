"""A worker to start from: it reads its share of a topic, and works on one message after the other.

Where Kafka is, the group, the topic and the port of its probes come from the manifest. Your work
replaces the last line.
"""

import os
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6, has_dualstack_ipv6
from threading import Thread
from typing import Any

from trimtab import Consumer

HANGS_S = 600.0
"""Twice `max_poll_interval`: its queues are others' by then, and only a new process gets some."""

consumer = Consumer(
    os.environ["KAFKA_BOOTSTRAP_SERVERS"],
    group=os.environ["GROUP"],
    topics=[os.environ["TOPIC"]],
)


class Probe(BaseHTTPRequestHandler):
    """Answers Kubernetes: /livez, unless a message hangs; /readyz, if it has its place."""

    def do_GET(self) -> None:
        """Answer."""
        health = consumer.health
        well = health.ready if self.path == "/readyz" else health.since_poll < HANGS_S
        self.send_response(HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - http.server's name
        """Say nothing of each question."""


class Probes(ThreadingHTTPServer):
    """Listens on all addresses: some clusters have IPv6 alone."""

    address_family = AF_INET6 if has_dualstack_ipv6() else AF_INET


probes = Probes(("", int(os.environ["PROBE_PORT"])), Probe)
Thread(target=probes.serve_forever, daemon=True).start()
with consumer:
    for message in consumer:
        print(message.value(), flush=True)
