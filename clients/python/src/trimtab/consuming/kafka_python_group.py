"""Questions about a group, by kafka-python, each of which may be given up.

This library's calls wait. So they run on a thread, and whoever asked may let go of it: the client
is closed, its thread comes back at once, and what was not sent yet never is. Used by
`kafka_python` and `kafka_python_writer`. Its one rule: a client that has failed is asked nothing
more, because it may have remembered the wrong coordinator.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from kafka import KafkaAdminClient
from kafka.net.compat import KafkaNetClient

from trimtab.consuming.contract import RefusedError

T = TypeVar("T")


class GroupClient:
    """Asks when it is asked, and connects then."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._life: _Life | None = None

    def ask(self, question: Callable[[Any], T]) -> Future[T]:
        """Have a thread put a question to an admin client."""
        life = self._life
        if life is None or life.over:
            life = self._life = _Life(self._settings)
        return life.threads.submit(life.ask, question)

    def answer(self, asked: Future[T], timeout_s: float) -> T:
        """Wait for an answer.

        Raises:
            RefusedError: There is no good one in time; nobody waits for it any more.
        """
        try:
            return asked.result(timeout_s)
        except Exception as error:  # also what its network raises
            self.drop()
            raise RefusedError(error if str(error) else _unanswered()) from error

    def drop(self) -> None:
        """Let go of what has no answer."""
        life, self._life = self._life, None
        if life is not None:
            life.end()


class _Life:
    """One admin client and its thread, until they are dropped."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.threads = ThreadPoolExecutor(1, "trimtab-group")
        known = KafkaAdminClient.DEFAULT_CONFIG  # it refuses the options of the others
        self._settings = {name: value for name, value in settings.items() if name in known}
        self._client: Any = None
        self._network: Any = None
        """What the client is made of: it tries to connect for seconds, unless this is closed."""
        self.over = False
        self._ending = threading.Lock()
        """Held by the only thread that may close it at that moment."""

    def ask(self, question: Callable[[Any], T]) -> T:
        try:
            if self._client is None:
                self._client = KafkaAdminClient(**self._settings, kafka_client=self._made)
            if not self.over:
                return question(self._client)
        except Exception:
            was_over = self.over
            self.end()
            if not was_over:  # else it was closed under its feet, and says this or that
                raise
        self.end()
        raise _unanswered()

    def end(self) -> None:
        self.over = True
        self._close()
        self.threads.shutdown(wait=False, cancel_futures=True)

    def _made(self, **given: object) -> Any:  # noqa: ANN401 - it ships no types
        network = KafkaNetClient(**given)
        selector = network._net  # noqa: SLF001 - nothing public has it
        selector.start()  # as its client does next; before, it cannot be closed,
        selector.start = bool  # and after that it would be begun anew
        self._network = network
        if self.over:  # while it was made
            self._close()
        return network

    def _close(self) -> None:
        with self._ending:
            network, self._network = self._network, None
            if network is not None:
                network.close()


def _unanswered() -> TimeoutError:
    return TimeoutError("no answer")
