"""`trimtab demo`: sets the stage, has the story performed and says how it went.

Called by ``console.main``. Whatever happens, no process is left behind; and what explains how it
went (logs, journals, topics) is.
"""

import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from console.demo.follower import Follower
from console.demo.journal import whole
from console.demo.narrator import LiveNarrator, Narrator, PlainNarrator
from console.demo.play import Play
from console.demo.report import report
from console.demo.stage import Stage
from console.demo.story import tell
from console.demo.summary import Summary, summarise
from console.demo.totals import Totals
from console.embedded.instance import Instance
from console.errors import ExitCode, Failure
from console.file_lock import FileLock
from console.output import Format, is_colourful, show
from console.progress import SILENT, Stderr
from console.settings import Settings

_LOCK_PATIENCE_S = 20.0
"""A demo that was killed is gone when its Kafka has closed its files, within 15 s at worst."""
_LOCK_RETRY_S = 0.2
_MADE = "made-by-trimtab-demo"
"""Says whose the directory is. It is written before anything else and never deleted, so that what a
killed demo has left, also while it deleted, is known for a demo's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How the demo was asked for."""

    members: int
    queues: int
    once: bool
    """End after the story, on a terminal too."""
    quiet: bool
    output: Format


def run(settings: Settings, wishes: Wishes) -> None:
    """Run the demo; what it wrote stays until the next one.

    Raises:
        Failure: A step failed, another demo runs in the same home, or Kafka does not come up.
    """
    directory = Path(settings.home).absolute() / "demo"
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as by Ctrl-C
    with _only_demo(directory) as lock:
        summary = _perform(directory, lock, settings, wishes)
    if summary.problems:
        raise Failure("\n".join((*summary.problems, f"the logs are in {directory / 'logs'}")))


@contextmanager
def _only_demo(directory: Path) -> Iterator[FileLock]:
    """Hold the demo's lock, which its processes inherit, over an empty directory."""
    lock = FileLock(directory.with_suffix(".lock"))
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while not lock.acquire(wait=False):
        if time.monotonic() > deadline:
            raise Failure(f"another demo runs in {directory}")
        time.sleep(_LOCK_RETRY_S)
    try:
        _empty(directory)
        yield lock
    finally:
        lock.release()


def _empty(directory: Path) -> None:
    """Make the directory anew; of what an earlier demo has not made nothing is deleted."""
    if directory.exists() and any(directory.iterdir()) and not (directory / _MADE).exists():
        reason = (
            f"{directory} is no demo's, and a demo would delete it: set another home, or delete it"
        )
        raise Failure(reason, ExitCode.USAGE)
    Instance(directory).stop()  # of a demo that was killed a moment ago
    directory.mkdir(parents=True, exist_ok=True)
    (directory / _MADE).touch()
    for it in directory.iterdir():
        if it.is_dir() and not it.is_symlink():
            shutil.rmtree(it)
        elif it.name != _MADE:
            it.unlink()


def _perform(directory: Path, lock: FileLock, settings: Settings, wishes: Wishes) -> Summary:
    progress = SILENT if wishes.quiet else Stderr()
    live = _is_live(wishes.output)
    with (
        Stage(directory, lock, settings, queues=wishes.queues, progress=progress) as stage,
        closing(Follower(stage.place)) as follower,
        closing(_narrator(wishes, live=live)) as narrator,
    ):
        play = Play(stage, follower, narrator)
        outcomes = play.perform(tell(wishes.members, wishes.queues))
        summary = summarise(outcomes, Totals.of(whole(stage.place.journals)))
        if live and not wishes.once and not summary.problems:
            narrator.say(["", *report(summary).splitlines(), ""])
            with suppress(KeyboardInterrupt):
                play.stay()
            return summary
    show(asdict(summary), wishes.output, report(summary))
    return summary


def _is_live(output: Format) -> bool:
    """Whether to redraw a table: on a terminal that can, unless it is not wanted."""
    return is_colourful() and output is Format.TABLE


def _narrator(wishes: Wishes, *, live: bool) -> Narrator:
    return LiveNarrator(Console()) if live else PlainNarrator(quiet=wishes.quiet)
