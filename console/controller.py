"""`trimtab run`: everything that must be right before the controller starts, in order.

The home is ours alone, Java and the archives are there, Kafka answers (the embedded one is started
when the settings name none), and every topic is as it must be. Then the streaming job runs in this
process until it is told to stop, and the embedded Kafka, if there is one, is stopped after it.
"""

import errno
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, NamedTuple

from console import logs
from console.cluster import admin
from console.embedded.broker import EmbeddedKafka
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.errors import ExitCode, Failure
from console.file_lock import FileLock
from console.progress import Progress
from console.settings import Settings
from console.topics import create_missing, problems, survey, wanted
from console.wiring import options

if TYPE_CHECKING:
    from streaming.feeds.feed import Feed

_INSTEAD: Final = (
    "wait for it with `trimtab run --standby`, or end it first, or replace it with "
    "`trimtab run --take-over`; `trimtab controllers list` shows it"
)
_PASSING: Final = frozenset(
    {errno.EROFS, errno.ESTALE, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ETIMEDOUT}
)
"""How a disk fails for a moment, or until somebody has seen to it."""
_LOOK_S: Final = 1.0
_LOOK_AGAIN_S: Final = 0.1
_LAST_WORD_S: Final = 1.0
"""So long somebody may take to read why the process ends."""


class BrokerWatch:
    """Notices that the embedded broker is gone; nothing would start it again."""

    name = "the embedded Kafka"

    def __init__(self, kafka: EmbeddedKafka) -> None:
        self._kafka = kafka

    def run(self, stop: Event) -> None:
        """Watch until told to stop."""
        while not stop.wait(_LOOK_S):
            if not self._kafka.instance.is_running():
                raise Failure(f"its Kafka has ended; see {self._kafka.log}")


class Asked(NamedTuple):
    """What is asked of one run, and not set."""

    init_topics: bool = False
    new_checkpoint: bool = False
    standby: bool = False
    take_over: bool = False


def run(
    settings: Settings, asked: Asked, progress: Progress, further: "Sequence[Feed]" = ()
) -> None:
    """Run the controller until SIGTERM or Ctrl-C, or until one of the further feeds stops it.

    Raises:
        Failure: Something is not as it must be, or the controller ended by itself.
    """
    from streaming.application import AtWork, ControllerFailed, TakenOver
    from streaming.application import run as run_job
    from streaming.startup.terms import CheckpointRefused

    _check(settings, asked)
    signal.signal(signal.SIGTERM, _end_well)
    jars = JarCache.default()
    find_java()
    jars.fetch(progress)
    with (
        _sole_controller(Path(settings.home)),
        _kafka(settings, jars, progress) as (servers, watches),
    ):
        embedded = settings.kafka.bootstrap_servers is None
        _require_topics(settings, servers, init=asked.init_topics or embedded)
        chosen = options(
            settings,
            bootstrap_servers=servers,
            jars=jars.spark,
            new_checkpoint=asked.new_checkpoint,
        )
        query = replace(chosen.query, standby=asked.standby, takes_over=asked.take_over)
        chosen = replace(chosen, query=query)
        try:
            end_stuck = partial(_end_stuck, in_json=settings.log.format == "json")
            run_job(chosen, [*watches, *further], end_stuck)
        except CheckpointRefused as error:
            raise Failure(str(error), ExitCode.UNHEALTHY) from error
        except AtWork as error:
            raise Failure(f"{error}; {_INSTEAD}", ExitCode.TAKEN_OVER) from error
        except TakenOver as error:
            remedy = "start this one again only as a standby: `trimtab run --standby`"
            raise Failure(f"{error}; {remedy}", ExitCode.TAKEN_OVER) from error
        except ControllerFailed as error:
            raise Failure(f"the controller ended: {error}") from error


def _check(settings: Settings, asked: Asked) -> None:
    if settings.redis.url is not None:
        _check_redis(settings.redis.url)
    if not asked.standby:
        return
    if asked.take_over:
        reason = "--standby takes over when the other controller is gone"
        raise Failure(f"{reason}: use --standby or --take-over, not both", ExitCode.USAGE)
    if asked.new_checkpoint:
        reason = (
            "--standby continues with the other controller's checkpoint, and a new one is begun "
            "while there is none, by a start without it (docs/operate.md)"
        )
        raise Failure(f"{reason}: use --standby or --new-checkpoint, not both", ExitCode.USAGE)
    if settings.kafka.bootstrap_servers is None:
        reason = "--standby needs the Kafka of the other controller: set kafka.bootstrap_servers"
        raise Failure(reason, ExitCode.USAGE)


def _check_redis(url: str) -> None:
    """Have its client read the URL, which may have a password: what it says is not repeated."""
    if find_spec("redis") is None:
        reason = "redis.url is set, and the package redis is not installed"
        raise Failure(f"{reason}: pip install redis", ExitCode.USAGE)
    from streaming.feeds.redis import is_understood

    if not is_understood(url):
        reason = "the host, the port, the number after it, or an option after the ?, is wrong"
        said = f"redis.url is not understood: {reason}; give it as redis://host:6379/0"
        raise Failure(said, ExitCode.USAGE)


def _end_well(number: int, frame: object) -> None:
    """Being told to end is no error; what was started is stopped on the way out."""
    del number, frame
    sys.exit(ExitCode.OK)


def _end_stuck(reason: str, *, in_json: bool) -> None:
    """End at once: whatever would put things away may hang as well, and whoever reads stderr."""
    from streaming.jvm import kill_jvm

    def say() -> None:
        text = f"the controller hangs: {reason}"
        if in_json:
            logs.last_line(text, exit_code=ExitCode.STUCK)
        else:
            sys.stderr.write(f"trimtab: {text}\n")
        sys.stderr.flush()

    speaker = Thread(target=say, daemon=True)
    speaker.start()
    speaker.join(_LAST_WORD_S)
    kill_jvm()
    os._exit(ExitCode.STUCK)


def lock_of(home: Path) -> FileLock:
    """Return the lock that the controller of a home holds."""
    return FileLock(home / "controller.lock")


def _acquired_later(lock: FileLock) -> bool:
    """Try again: `trimtab health` may have held the lock just then, to look."""
    time.sleep(_LOOK_AGAIN_S)
    return lock.acquire(wait=False)


@contextmanager
def _sole_controller(home: Path) -> Iterator[None]:
    """Two drivers on one checkpoint would undo each other's work."""
    lock = lock_of(home)
    try:
        acquired = lock.acquire(wait=False) or _acquired_later(lock)
    except OSError as error:
        reason = f"home is {home}, which cannot be used: {error.strerror}"
        if error.errno in _PASSING:  # no setting is wrong, and a supervisor is to try again
            raise Failure(f"{reason}; make room, or have it mounted again") from error
        remedy = "set home to a directory that this user can write"
        raise Failure(f"{reason}; {remedy}", ExitCode.USAGE) from error
    if not acquired:
        raise Failure(f"another controller runs in {home}: stop it, or use another home")
    with lock:
        yield


@contextmanager
def _kafka(
    settings: Settings, jars: JarCache, progress: Progress
) -> Iterator[tuple[str, Sequence[BrokerWatch]]]:
    """The cluster that the settings name, or a broker that lives as long as we do."""
    if settings.kafka.bootstrap_servers is not None:
        yield settings.kafka.bootstrap_servers, ()
        return
    with EmbeddedKafka(Path(settings.home), jars=jars, progress=progress) as kafka:
        progress.note(f"Kafka listens on {kafka.bootstrap_servers}; its log is {kafka.log}")
        yield kafka.bootstrap_servers, (BrokerWatch(kafka),)


def _require_topics(settings: Settings, servers: str, *, init: bool) -> None:
    """Refuse to start on topics that are not as they must be."""
    client = admin(settings, servers)
    found = survey(client, wanted(settings), servers)
    if init:
        found = create_missing(client, found, servers)
    if lines := problems(found):
        raise Failure("\n".join(lines), ExitCode.UNHEALTHY)
