"""Ports for the broker."""

import socket

import pytest

from console.embedded.ports import choose_port, choose_ports
from console.errors import Failure


def test_no_port_is_chosen_twice() -> None:
    """Whoever gets one may bind it much later."""
    ports = [choose_port(0), *choose_ports(5), choose_port(0)]
    assert len(ports) == len(set(ports))


def test_no_port_is_chosen_that_the_system_gives_away() -> None:
    """A connection of anybody's could be bound to it before the broker is."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        given_by_the_system = server.getsockname()[1]
    assert max(choose_ports(5)) < min(32_768, given_by_the_system)


def test_a_port_that_is_taken_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next free one is."""
    port = choose_port(0)
    monkeypatch.setattr("console.embedded.ports._GIVEN", set())
    with socket.create_server(("127.0.0.1", port)):
        assert port not in choose_ports(100)
        with pytest.raises(Failure, match=f"port {port} is taken"):
            choose_port(port)
