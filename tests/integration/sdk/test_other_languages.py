"""A member without the SDK (`tests.builders.smallest`) beside members with it, on a real Kafka."""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.builders import smallest
from tests.integration.conftest import MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import PATIENCE_S, Published
from trimtab.protocol import MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8


class Stranger:
    """One such member, and what it has said."""

    def __init__(self, process: subprocess.Popen[bytes], said: Path) -> None:
        self.process, self._said = process, said

    def works_on(self) -> int:
        """How many queues it works on."""
        count = Counter(line.split()[0] for line in self._said.read_text().splitlines())
        assert 0 == count["lose"]
        return count["begin"] - count["end"]

    def leave(self) -> int:
        """Tell it to leave; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


@contextmanager
def stranger(servers: str, prefix: str, group: str, topic: str, said: Path) -> Iterator[Stranger]:
    """Run one, which does not outlive the block."""
    command = [sys.executable, str(smallest.__file__), servers, prefix, group, topic, "stranger"]
    with said.open("wb") as file, subprocess.Popen(command, stdout=file) as process:
        try:
            yield Stranger(process, said)
        finally:
            process.kill()


def test_the_smallest_member_takes_part(
    controller: ControllerProcess,
    published: Published,
    group: str,
    topic: str,
    member: MakeMember,
    tmp_path: Path,
) -> None:
    """It gets its share, takes over from who leaves, hands on to who comes, and leaves in order."""
    servers, prefix = controller.servers, controller.prefix
    with member("a") as a, stranger(servers, prefix, group, topic, tmp_path / "said") as it:
        published.wait_until(lambda: published.is_stable(group, {"a", "stranger"}, QUEUES))
        published.wait_until(lambda: (len(a.assignment), it.works_on()) == (4, 4))
        a.stop()
        published.wait_until(lambda: published.is_stable(group, {"stranger"}, QUEUES))
        published.wait_until(lambda: it.works_on() == QUEUES)
        with member("b") as b:
            published.wait_until(lambda: published.is_stable(group, {"b", "stranger"}, QUEUES))
            published.wait_until(lambda: (len(b.assignment), it.works_on()) == (4, 4))
            assert 0 == it.leave()
            b.wait_until(lambda me: len(me.assignment) == QUEUES)
            published.wait_until(lambda: published.is_stable(group, {"b"}, QUEUES))

    changes = [it for it in published.of_group(group) if isinstance(it, MemberChanged)]
    assert set() == {it.event for it in changes} & {"expired", "fenced"}
    assert {"released"} == published.endings(group)
