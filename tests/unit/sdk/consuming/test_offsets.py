"""Where a group begins; what is said with a commit, and read again."""

import time
from datetime import UTC, datetime
from typing import cast

import pytest

from tests.builders.sessions import queue
from trimtab.consuming import offsets as module
from trimtab.consuming.contract import Client, Ends, RefusedError
from trimtab.consuming.offsets import GroupOffsets, signature, token_of
from trimtab.protocol import QueueRef


def test_the_token_of_a_commit_is_read_again() -> None:
    """As those who fence do."""
    assert 12 == token_of(signature(12, "0-life"))


@pytest.mark.parametrize(
    "said",
    [
        *("", "by hand", "trimtab:", "trimtab:x:y", "other:3:life", ":3:"),
        *("trimtab:²:", f"trimtab:{2**53}:", "trimtab:" + "9" * 5_000),
    ],
)
def test_what_others_say_has_no_token(said: str) -> None:
    """So it is older than any of ours."""
    assert 0 == token_of(said)


class Busy:
    """A topic to which a message is written after each question."""

    def __init__(self) -> None:
        self.length = 7

    def found(self, queues: list[QueueRef], end: object, timeout_s: float) -> Ends:
        """Say where it ends, or that no message is so young, as it was when it was asked."""
        del timeout_s
        at = self.length if end == "latest" else -1
        self.length += 1
        return Ends(dict.fromkeys(queues, at))


def test_what_is_written_while_a_time_is_looked_for_is_since_then() -> None:
    """Whoever starts now would not read it otherwise, nor would anybody else of the group."""
    topic = Busy()
    offsets = GroupOffsets(cast("Client", topic), datetime(2026, 1, 1, tzinfo=UTC))

    assert {queue(): 7} == offsets.first([queue()]).at


class Deaf:
    """A client that has lost the leader; a new one has not."""

    def found(self, queues: list[QueueRef], end: object, timeout_s: float) -> Ends:
        """Wait for nothing."""
        del queues, end
        time.sleep(timeout_s)
        return Ends({}, RefusedError(TimeoutError()))

    def found_apart(self, queues: list[QueueRef], *_: object) -> dict[QueueRef, int]:
        """Say where they begin."""
        return dict.fromkeys(queues, 7)


def test_where_a_single_queue_begins_is_asked_of_a_new_client_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No other leader keeps its answer back, but the client may have lost its own."""
    monkeypatch.setattr(module, "_ASK_S", 0.05)

    assert ({queue(): 7}, None) == GroupOffsets(cast("Client", Deaf()), "earliest").first([queue()])
