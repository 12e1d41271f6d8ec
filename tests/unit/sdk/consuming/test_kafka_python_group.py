"""Questions about a group to a Kafka that hangs: they end, whoever ends them."""

import gc
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest

from tests.builders.application import until
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.kafka_python_group import GroupClient
from trimtab.consuming.kafka_python_settings import group_settings

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # it leaves sockets

PATIENCE_S = 0.2
TIMES = 6


@pytest.fixture
def group() -> Iterator[GroupClient]:
    """What asks."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        servers = f"127.0.0.1:{server.getsockname()[1]}"
        yield GroupClient(group_settings(Wish(servers, "billing", {}, {}, PATIENCE_S)))
        names = ("trimtab-group", "kafka-io")
        until(lambda: not [it for it in threading.enumerate() if it.name.startswith(names)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def answer(group: GroupClient, asked: Future[None], patience_s: float) -> None:
    """There is none."""
    with pytest.raises(RefusedError, match=r"no answer|Unable to bootstrap"):
        group.answer(asked, patience_s)


def test_a_question_that_is_given_up_ends_at_once(group: GroupClient) -> None:
    """Also before it has connected."""
    for patience_s in (0.0, 0.01, 0.05):
        asked = group.ask(print)
        answer(group, asked, patience_s)
        until(asked.done)


@pytest.mark.slow
def test_it_may_end_by_itself_while_it_is_given_up(group: GroupClient) -> None:
    """And while others give it up: of kafka-python only one thread may end what it is made of."""
    failures: list[object] = []

    def quietly(action: Callable[[], object]) -> None:
        try:
            action()
        except RuntimeError as error:
            failures.append(error)

    for _ in range(TIMES):
        asked = group.ask(print)
        life = group._life  # noqa: SLF001 - two of whoever asks have it
        assert life is not None
        others = [threading.Timer(PATIENCE_S, quietly, [life.end]) for _ in range(3)]
        for other in others:
            other.start()
        answer(group, asked, PATIENCE_S)
        for other in others:
            other.join()

    assert [] == failures
