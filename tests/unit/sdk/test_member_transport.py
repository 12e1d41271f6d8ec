"""A member whose transport raises what no transport should."""

import threading

import pytest

from tests.builders.application import Application, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import Member, MemberFailedError
from trimtab.transports.contract import Event


def test_a_broken_transport_ends_the_member(application: Application) -> None:
    """An exception nobody has thought of is not swallowed."""

    class Broken(MemoryTransport):
        def poll(self, timeout_ms: int) -> list[Event]:
            raise ZeroDivisionError(timeout_ms)

    member = Member(
        group=GROUP, topics=["orders"], transport=Broken(), on_error=application.on_error
    )
    with pytest.raises(MemberFailedError), member:
        until(lambda: application.heard)

    assert isinstance(member.failure, MemberFailedError)
    assert isinstance(member.failure.__cause__, ZeroDivisionError)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it is raised
def test_a_transport_that_cannot_be_closed_keeps_nobody_waiting(application: Application) -> None:
    """The callbacks' thread ends, and leaving returns, whatever a client library raises then."""

    class Stuck(MemoryTransport):
        def close(self, timeout_ms: int) -> None:
            raise ZeroDivisionError(timeout_ms)

    member = Member(
        group=GROUP, topics=["orders"], transport=Stuck(), on_error=application.on_error
    )
    before = threading.active_count()
    with member:
        pass
    until(lambda: threading.active_count() == before)
