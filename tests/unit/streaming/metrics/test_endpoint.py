"""The endpoint, asked over a real socket."""

import json
import socket
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from console.embedded.ports import choose_port
from streaming.metrics.endpoint import Asked, EndpointNotServed, State, served

HERE = "127.0.0.1"
ASKED = Asked(
    {
        "/livez": lambda: State(is_well=True, details={}),
        "/readyz": lambda: State(is_well=False, details={"reason": "no batch"}),
    },
    lambda: "trimtab_batches_total 3\n",
)


def ask(url: str, path: str, verb: str = "GET") -> tuple[int, str]:
    """Ask."""
    where = urlsplit(url)
    with closing(HTTPConnection(where.hostname or "", where.port, timeout=30)) as connection:
        connection.request(verb, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@pytest.mark.slow
def test_probes_and_prometheus_are_answered() -> None:
    """By path: 200 or 503 with the reason, the metrics as they are, and 404 for the rest."""
    with served(HERE, 0, ASKED) as url:
        assert (200, {"ok": True}) == told(*ask(url, "/livez?verbose"))
        assert (503, {"ok": False, "reason": "no batch"}) == told(*ask(url, "/readyz"))
        assert (200, "trimtab_batches_total 3\n") == ask(url, "/metrics")
        assert (404, "there is: /livez, /readyz, /metrics\n") == ask(url, "/")
        assert (200, "") == ask(url, "/metrics", "HEAD")
        assert 501 == ask(url, "/livez", "POST")[0]


@pytest.mark.slow
@pytest.mark.parametrize("may_have_ipv6", [True, False])
def test_all_addresses_are_those_that_there_are(
    *, may_have_ipv6: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe comes by IPv6 where there is nothing else, and by IPv4 where there is no IPv6."""
    hosts = [HERE]
    if not may_have_ipv6:
        monkeypatch.setattr("streaming.metrics.endpoint.has_dualstack_ipv6", lambda: False)
    elif is_there("::1"):
        hosts.append("[::1]")
    with served("::", 0, ASKED) as url:
        assert [200] * len(hosts) == [
            ask(f"http://{host}:{urlsplit(url).port}", "/livez")[0] for host in hosts
        ]
        assert may_have_ipv6 or url.startswith("http://0.0.0.0:")


def is_there(address: str) -> bool:
    """Tell whether this machine has such an address."""
    try:
        socket.create_server((address, 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def told(status: int, body: str) -> tuple[int, object]:
    """A check's answer, read."""
    return status, json.loads(body)


@pytest.mark.slow
@pytest.mark.parametrize("many", [10, 40], ids=["room for all", "more than there is room for"])
def test_who_connects_and_says_nothing_holds_up_nobody(many: int) -> None:
    """Nor do several of them."""
    with served(HERE, 0, ASKED) as url:
        where = (HERE, urlsplit(url).port or 0)
        silent = [socket.create_connection(where) for _ in range(many)]

        assert 200 == ask(url, "/livez")[0]
        for one in silent:
            one.close()


@pytest.mark.slow
def test_a_port_that_is_taken_is_an_error() -> None:
    """It names the settings."""
    port = choose_port(0)
    with (
        served(HERE, port, ASKED),
        pytest.raises(EndpointNotServed, match=r"controller\.http_port"),
    ):
        served(HERE, port, ASKED).__enter__()
