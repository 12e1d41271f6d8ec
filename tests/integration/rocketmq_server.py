"""A real name server and real brokers of RocketMQ, in one process, as the tests tell them.

Most tests want nothing special of them: these share one, which costs a start of five seconds of a
core. Its one rule: of the places where a controller asks for routes each has one at a time.
"""

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from bench.rocketmq.programs import FIVE
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java


class RocketMQ(JavaProcess):
    """The servers; `broker-a` is always there.

    Args:
        home: Where they keep their files.
        names: The address of its name server.
        cluster: What the brokers' cluster is called.
        brokers: Further brokers.
        hook: Settings of the hook that all brokers load; None: they load none.
    """

    def __init__(
        self,
        home: Path,
        names: str,
        cluster: str = "DefaultCluster",
        brokers: Sequence[str] = (),
        hook: Mapping[str, str] | None = None,
    ) -> None:
        self.names = names
        port = self.names.rpartition(":")[2]
        command = java("RocketServer", FIVE, hook=hook)
        super().__init__(home, [*command, str(home), port, cluster, *brokers])
        self._old = 0
        self.is_at_rest = False
        """Whether a test has left them as it found them."""

    def __enter__(self) -> Self:
        """Wait until they serve."""
        self.wait_for("ready")
        return self

    def make(self, topic: str, queues: int) -> None:
        """Make a topic, with so many queues at each broker."""
        self.order(f"topic {topic} {queues}", "made")

    def rest(self) -> None:
        """Send no more, and watch nothing."""
        self.order("leave", "left")
        self._old = len(self.lines())
        self.is_at_rest = True

    def news(self) -> list[str]:
        """What they have said since they were at rest, or began."""
        return self.lines()[self._old :]

    def order(self, order: str, answer: str) -> str:
        """Tell them something; return what they answer."""
        said = sum(answer in line for line in self.lines())
        self.tell(order)
        return self.wait_for(answer, said + 1)


class PlainServer:
    """One broker and a name server, for test after test until one wants its place.

    Args:
        folder: Where it keeps its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server: RocketMQ | None = None

    def at(self, names: str) -> RocketMQ:
        """The server whose name server is there; it is started if need be."""
        if (old := self._server) is not None and (
            old.names != names or old.has_ended or not old.is_at_rest
        ):
            self.end()
        if self._server is None:
            server = RocketMQ(self._folder / uuid.uuid4().hex[:8], names)
            try:
                server.__enter__()
            except BaseException:
                server.__exit__()
                raise
            self._server = server
        self._server.is_at_rest = False
        return self._server

    def end(self) -> None:
        """End it, if it runs."""
        server, self._server = self._server, None
        if server is not None:
            server.__exit__()
