"""Subscribers: programs that have joined Kafka's own group under the name of one of ours.

They read messages that members read as well. Consumers that can move (`MovingConsumer`) join it by
rights. Kafka is asked in a process of its own (``subscribers_process`` says why), which is started
first, so that it is ready when the names are known.

Called by `trimtab doctor` and, about one group, by ``group_moves``. Its one rule: what Kafka does
not say, or may not say, is never taken for an answer.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from console import subscribers_process
from console.cluster import SILENCE, bootstrap_servers, native_options
from console.errors import Away, ExitCode, Failure
from console.settings import Settings
from console.subscribers_process import FAILED, REFUSED
from trimtab.moving.company import can_move, cannot_move

PATIENCE_S: Final = 15.0
"""As ``whole_topics`` waits; the process waits for less, twice."""
_SILENCE: Final = "Kafka does not answer"


class Subscribers:
    """One question, in a process that has been started."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Take the process; `asking` makes both."""
        self._process = process

    def of(self, groups: Iterable[str]) -> "dict[str, Described]":
        """Return who has joined each of these groups that has somebody who cannot move.

        Raises:
            Failure: It is not known.
        """
        return foreign(self.described(groups))

    def described(self, groups: Iterable[str]) -> "dict[str, Described]":
        """Return how each of these groups is, as Kafka has it.

        Raises:
            Away: Kafka does not answer.
            Failure: It is not known.
        """
        return self._asked(list(groups))

    def committed(self, group: str) -> "Described":
        """Return how one group is, with what it has committed.

        Raises:
            Away: Kafka does not answer.
            Failure: It is not known.
        """
        return self._asked(group)[group]

    def _asked(self, question: str | list[str]) -> "dict[str, Described]":
        try:
            answer, _ = self._process.communicate(json.dumps(question), PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise Away(_SILENCE) from error
        if self._process.returncode == REFUSED:
            raise Failure(f"kafka.options: {json.loads(answer)}", ExitCode.USAGE)
        if self._process.returncode == FAILED:
            code, text = json.loads(answer)
            raise Away(f"{_SILENCE}: {text}") if code in SILENCE else Failure(text)
        if self._process.returncode:  # its library has ended it
            raise Away(_SILENCE)
        return {name: _described(it) for name, it in json.loads(answer).items()}


class Described(NamedTuple):
    """A group of Kafka's own."""

    is_steady: bool
    """Whether it is in no rebalance, and has members."""
    members: list[tuple[str, str]]
    """The client and the host of each."""
    assigned: frozenset[tuple[str, int]]
    """The topics and partitions that they have."""
    committed: tuple[tuple[str, int, int, str], ...] = ()
    """Topic, partition, offset and what was said, if that was asked for."""
    unmovable: frozenset[tuple[str, int]] = frozenset()
    """Those of the assigned that somebody has who cannot move."""

    @property
    def foreign(self) -> list[str]:
        """Who cannot move, as client and host."""
        return sorted(cannot_move(self.members))

    @property
    def movable(self) -> Counter[str]:
        """Who can, under their names as members: so many of each."""
        return can_move(client for client, _ in self.members)


def _described(told: Mapping[str, Any]) -> Described:
    members = told["members"]
    places = [(name, (topic, number)) for name, _, them in members for topic, number in them]
    assigned = frozenset(place for _, place in places)
    unmovable = frozenset(place for name, place in places if not can_move([name]))
    committed = tuple(tuple(it) for it in told.get("committed", ()))
    named = [(name, host) for name, host, _ in members]
    return Described(told["is_steady"], named, assigned, committed, unmovable)


def foreign(groups: Mapping[str, Described]) -> dict[str, Described]:
    """Return the groups of which some members cannot move."""
    return {name: it for name, it in groups.items() if it.foreign}


@contextmanager
def asking(settings: Settings) -> Iterator[Subscribers]:
    """Start the process; it ends with this."""
    servers = bootstrap_servers(settings)
    options = {**native_options(settings), "bootstrap.servers": servers, "log_level": 0}
    with subprocess.Popen(
        [sys.executable, "-P", subscribers_process.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # of one that Kafka's library has ended
        text=True,
    ) as process:
        assert process.stdin is not None
        try:
            process.stdin.write(f"{json.dumps(options)}\n")
            process.stdin.flush()
            yield Subscribers(process)
        finally:
            process.kill()
