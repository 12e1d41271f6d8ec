"""Subscribers: programs that have joined Kafka's own group under the name of one of ours.

They read messages that members read as well. Consumers that can move (`MovingConsumer`) join it by
rights. Kafka is asked in a process of its own (``subscribers_process`` says why), which is started
first, so that it is ready when the names are known.

Called by `trimtab doctor`. Its one rule: what Kafka does not say, or may not say, is never taken
for an answer.
"""

import json
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

from console import subscribers_process
from console.cluster import bootstrap_servers, native_options
from console.errors import Failure
from console.settings import Settings
from trimtab.moving.company import cannot_move

PATIENCE_S: Final = 15.0
"""As ``whole_topics`` waits; the process waits for less, twice."""


class Subscribers:
    """One question, in a process that has been started."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Take the process; `asking` makes both."""
        self._process = process

    def of(self, groups: Iterable[str]) -> "dict[str, Joined]":
        """Return who has joined each of these groups that has somebody who cannot move.

        Raises:
            Failure: It is not known.
        """
        question = json.dumps(list(groups))
        try:
            answer, _ = self._process.communicate(question, PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise Failure("Kafka does not answer") from error
        if self._process.returncode:
            raise Failure(answer.strip() or "Kafka does not answer")
        return foreign(json.loads(answer))


class Joined(NamedTuple):
    """The members that Kafka's own group has."""

    foreign: list[str]
    """Who cannot move, as client and host."""
    movable: int
    """How many can."""


def foreign(members: Mapping[str, Collection[tuple[str, str]]]) -> dict[str, Joined]:
    """Return who has joined each group, by client id and host, if some of them cannot move."""
    found = {}
    for group, of in members.items():
        if others := cannot_move(of):
            found[group] = Joined(others, len(of) - len(others))
    return found


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
