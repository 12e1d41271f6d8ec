"""Clients that nobody polls keep nothing that would have to be heard."""

import logging
import socket
import time
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from tests.builders.application import until
from trimtab.consuming.confluent_settings import client_settings, transaction_settings
from trimtab.consuming.contract import Wish
from trimtab.transports.confluent_unpolled import unpolled

OFTEN: dict[str, Any] = {"statistics.interval.ms": 5, "stats_cb": print, "error_cb": print}
LONG_S = 0.5
"""A hundred times as long."""


@pytest.mark.slow
def test_statistics_do_not_pile_up() -> None:
    """In a consumer that lives for years they would take all memory."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {"bootstrap.servers": f"127.0.0.1:{server.getsockname()[1]}"} | OFTEN
        plain, silent = AdminClient(given), AdminClient(unpolled(given))
        time.sleep(LONG_S)
        until(lambda: len(plain) > 0)  # type: ignore[arg-type]  # its stubs leave that out

        assert 0 == len(silent) < len(plain)  # type: ignore[arg-type]  # its stubs leave that out


def test_those_that_commit_have_none() -> None:
    """They are polled now and then, or never."""
    settings = client_settings(Wish("nowhere:1", "billing", OFTEN, {}, 1.0))
    for made in (unpolled(settings), transaction_settings(settings, 1.0)):
        assert 0 == made["statistics.interval.ms"]
        assert not made.keys() & {"stats_cb", "error_cb"}
        assert 0 == made["log_level"]


@pytest.mark.slow
def test_lines_of_the_log_do_not_pile_up() -> None:
    """While Kafka is away for a night there would be a million."""
    given: dict[str, Any] = {"bootstrap.servers": "127.0.0.1:1"}
    plain = AdminClient(given, logger=logging.getLogger("unheard"))
    silent = AdminClient(unpolled(given))
    time.sleep(LONG_S)
    until(lambda: len(plain) > len(silent))  # type: ignore[arg-type]  # its stubs leave that out

    assert len(silent) < len(plain)  # type: ignore[arg-type]  # its stubs leave that out
