"""Fixtures for the tests of a member with its threads: a Kafka in memory, an application, both.

Found by pytest. Its one rule: nothing outlives its test.
"""

from collections.abc import Iterator

import pytest

from tests.builders.application import Application
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.unit.sdk.supervised import Run, supervisors
from trimtab import (
    Member,
)


@pytest.fixture
def kafka() -> MemoryTransport:
    """A Kafka."""
    return MemoryTransport()


@pytest.fixture
def application() -> Application:
    """An application."""
    return Application()


@pytest.fixture
def member(kafka: MemoryTransport, application: Application) -> Iterator[Member]:
    """A member of the application, left behind in order."""
    with Member(
        group=GROUP,
        topics=["orders"],
        member_id="m",
        transport=kafka,
        session_timeout="10s",
        on_assigned=application.on_assigned,
        on_revoked=application.on_revoked,
        on_lost=application.on_lost,
        on_error=application.on_error,
    ) as member:
        yield member
        member.stop("0s")


@pytest.fixture
def run() -> Iterator[Run]:
    """Start supervisors."""
    with supervisors() as start:
        yield start
