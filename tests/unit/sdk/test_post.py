"""One member's guard: when it speaks, and when it is silent."""

import errno
import threading
import time
from collections.abc import Callable

import pytest

from tests.builders.application import WAIT_S
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE, queue
from trimtab.errors import TransportError
from trimtab.guard_lines import Post
from trimtab.holdings import Holdings
from trimtab.post import Watch, stand
from trimtab.protocol import HolderRef, Leave, Release
from trimtab.session import Send
from trimtab.transports.contract import Event

HELD = Holdings(member="m", incarnation=MINE, queues=(HolderRef(*queue(), 3, 4),))
POST = Post(servers="nowhere:1", group=GROUP, patience_ms=10_000)


def stood(kafka: MemoryTransport, happens: Callable[[Watch], object], post: Post = POST) -> bool:
    """Stand guard while this happens; return what the guard has come to."""
    watch, answers = Watch(), list[bool]()
    thread = threading.Thread(target=lambda: answers.append(stand(post, lambda: kafka, watch)))
    thread.start()
    happens(watch)
    thread.join(WAIT_S)
    assert watch.settled.is_set()
    (answer,) = answers
    return answer


def dies(watch: Watch) -> None:
    """It held something, and is killed."""
    watch.holdings = HELD
    watch.end(in_good_order=False)


def test_it_releases_what_was_held_last_when_the_member_is_dead(kafka: MemoryTransport) -> None:
    """The leave comes last."""
    assert stood(kafka, dies)
    release, leave = kafka.sent
    assert isinstance(release, Release)
    assert isinstance(leave, Leave)
    assert ("guard", [(*queue(), 3, None, 4, None)]) == (
        release.by,
        [(*it,) for it in release.queues],
    )
    assert kafka.closed


def test_it_says_nothing_after_a_farewell(kafka: MemoryTransport) -> None:
    """The member has ended in good order, whatever it held at last."""

    def leaves(watch: Watch) -> None:
        watch.holdings = HELD
        watch.end(in_good_order=True)

    assert stood(kafka, leaves)
    assert [] == kafka.sent


def test_it_says_nothing_of_a_member_that_never_held_anything(kafka: MemoryTransport) -> None:
    """And does not look for Kafka any longer."""
    kafka.reachable = False

    assert stood(kafka, lambda watch: watch.end(in_good_order=False))
    assert [] == kafka.sent


@pytest.mark.slow
def test_it_connects_later_if_it_cannot_at_first(kafka: MemoryTransport) -> None:
    """Kafka is away, and the member dies meanwhile: there is still some time."""
    kafka.reachable = False
    threading.Timer(0.2, setattr, (kafka, "reachable", True)).start()

    assert stood(kafka, dies)
    assert 2 == len(kafka.sent)


@pytest.mark.slow
def test_after_a_session_it_is_too_late(kafka: MemoryTransport) -> None:
    """The controller has found out by silence."""
    kafka.reachable = False
    watch = Watch()
    dies(watch)

    with pytest.raises(TransportError, match="too late to release anything"):
        stand(Post(servers="nowhere:1", group=GROUP, patience_ms=1), lambda: kafka, watch)


class Lossy(MemoryTransport):
    """It can be reached, and takes nothing."""

    def open(self, group: str) -> None:
        """Connect."""
        del group
        self.reachable = False


class Mute(MemoryTransport):
    """It was connected ahead, and does nothing any more, without a word."""

    def send(self, message: Send) -> None:
        """Take it, for nothing."""


def test_what_one_client_does_not_write_another_does(
    kafka: MemoryTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When that can connect; and nobody learns of the death by silence."""
    monkeypatch.setattr("trimtab.post.SOON_S", 0.01)
    mute, away, watch = Mute(), MemoryTransport(), Watch()
    away.reachable = False
    clients = [mute, away, kafka]
    dies(watch)

    assert stand(POST, lambda: clients.pop(0), watch)
    assert [Release, Leave] == [type(it) for it in kafka.sent]
    assert [True] * 3 == [it.closed for it in (mute, away, kafka)]


class Slow(MemoryTransport):
    """Kafka has what it is given, later."""

    late = 5

    def poll(self, timeout_ms: int) -> list[Event]:
        """Hear of it."""
        self.late -= 1
        if self.late < 0:
            return super().poll(timeout_ms)
        time.sleep(0.01)
        return []


@pytest.mark.parametrize("is_made", [False, True])
def test_another_client_that_cannot_be_made_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
    is_made: bool,  # noqa: FBT001 - by pytest
) -> None:
    """All posts of a large command make one at once, and files run out; the first one writes."""
    monkeypatch.setattr("trimtab.post.SOON_S", 0.01)
    slow, broken, watch = Slow(), MemoryTransport(), Watch()
    monkeypatch.setattr(broken, "open", _fails)
    clients = [slow]

    def make() -> MemoryTransport:
        return clients.pop() if clients else broken if is_made else _fails("")

    dies(watch)

    assert stand(POST, make, watch)
    assert [Release, Leave] == [type(it) for it in slow.sent]
    assert broken.closed is is_made


def _fails(_: str) -> MemoryTransport:
    raise OSError(errno.EMFILE, "Too many open files")


def test_a_release_that_is_lost_is_told() -> None:
    """The controller will find out by silence."""
    assert not stood(Lossy(), dies)
