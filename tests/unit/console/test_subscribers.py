"""Who has joined Kafka's own group: what is not answered is not known, and ends nobody."""

import socket
from collections.abc import Iterator

import pytest

from console import subscribers, subscribers_process
from console.errors import Failure
from console.settings import load


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a Kafka that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_a_kafka_that_hangs_is_said_to(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client's library may end the process that asks: it is not ours."""
    monkeypatch.setattr(subscribers, "PATIENCE_S", 60.0)
    settings = load(environment={"TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": silent}).settings
    with subscribers.asking(settings) as asked, pytest.raises(Failure):
        asked.of(["billing"])


def test_consumers_that_can_move_are_no_foreign_members() -> None:
    """They join by rights; anybody else is named with the host."""
    members = {"billing": [("trimtab-moving-a", "/h1"), ("old", "/h2")], "b": []}

    assert {"billing": (["old at /h2"], 1)} == subscribers.foreign(members)


def test_it_waits_longer_than_the_process() -> None:
    """Which asks twice; its own reason says more than that nothing came."""
    assert 2 * subscribers_process.ASK_S < subscribers.PATIENCE_S
