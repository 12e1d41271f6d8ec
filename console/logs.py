"""Where log lines go and how they look: stderr, for people or as one JSON object a line.

Layers below ask structlog for a logger and know nothing of this. Called by a command that runs for
long, and by ``console.main`` for the last line of one.

A line that cannot be written, because the disk is full or nobody reads, is lost and counted, and
ends nothing.

Its one rule: where lines are JSON, nothing else is written to stderr. So progress, Python's own
tracebacks and warnings, and what libraries log are lines, too.
"""

import logging
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from console.encoding import visible
from console.output import is_colourful
from console.settings.sections import LogSettings

_JSON = LogSettings(format="json")
# Without the variables of each frame: some of them hold passwords.
_TRACES = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))


class _Lines:
    """Where lines are written; it is the logger of all who ask for one.

    Args:
        file: Where to.
    """

    def __init__(self, file: TextIO) -> None:
        self._file, self._lock, self._lost = file, threading.Lock(), 0

    def __call__(self, *_: object) -> Self:
        """Return the one that there is."""
        return self

    def msg(self, line: str) -> None:
        """Write a line; when that is possible again, say how many were held up or are lost."""
        with self._lock:
            try:
                print(line, file=self._file, flush=True)
            except OSError:
                self._lost += 1
                return
            lost, self._lost = self._lost, 0
        if lost:
            structlog.get_logger().warning("lines of this log come late, or are lost", lines=lost)

    debug = info = warning = error = critical = msg


def configure(settings: LogSettings) -> None:
    """Set up structlog for the whole process."""
    in_json = settings.format == "json"
    rendered: list[structlog.typing.Processor] = (
        [_TRACES, structlog.processors.JSONRenderer()]
        if in_json
        else [_without_controls, structlog.dev.ConsoleRenderer(colors=is_colourful(sys.stderr))]
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *rendered,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.level.upper()]
        ),
        logger_factory=_Lines(sys.stderr),
    )
    if in_json:
        _take_all()


def _without_controls(
    _logger: object, _method: str, line: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Escape what a terminal would obey: names are of strangers."""
    return {key: visible(it) if isinstance(it, str) else it for key, it in line.items()}


def asked_for(key_values: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Tell whether lines are to be JSON, before settings are read: they may be what is wrong."""
    by_flag = [it for it in key_values if it.startswith("log.format=")]
    said = by_flag[-1].partition("=")[2] if by_flag else environment.get("TRIMTAB_LOG__FORMAT")
    return said == "json"


def last_line(text: str, *, error: BaseException | None = None, **said: object) -> None:
    """Write why the process ends, in JSON; whatever level is shown, it is."""
    if not structlog.is_configured():
        configure(_JSON)
    structlog.get_logger().error(text, exc_info=error, **said)


def _take_all() -> None:
    """Write as lines what Python and its libraries would print in their own way."""
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_a_thread
    sys.unraisablehook = _unraisable
    warnings.showwarning = _warned
    logging.basicConfig(handlers=[_Handler()], level=logging.WARNING, force=True)


def _uncaught(
    _kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    last_line(f"{type(error).__name__}: {error}", error=error)


def _uncaught_in_a_thread(what: threading.ExceptHookArgs) -> None:
    if what.exc_value is None or isinstance(what.exc_value, SystemExit):
        return
    name = "" if what.thread is None else what.thread.name
    last_line(f"{what.exc_type.__name__}: {what.exc_value}", error=what.exc_value, thread=name)


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    last_line(what.err_msg or "an exception was ignored", error=what.exc_value)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Log a warning of Python's; ``warnings`` itself says which are shown."""
    del file, line
    where = f"{filename}:{lineno}"
    structlog.get_logger().warning(str(message), category=category.__name__, where=where)


class _Handler(logging.Handler):
    """Hands on what libraries log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log it once more, by structlog; a wrong call must not raise in the library."""
        try:
            trace = record.exc_info if record.exc_info and record.exc_info[0] else None
            log = structlog.get_logger()
            write = log.error if record.levelno >= logging.ERROR else log.warning
            write(record.getMessage(), logger=record.name, exc_info=trace)
        except Exception:  # noqa: BLE001 - what is logged is any library's code
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - Python's name
        """Say as JSON which call is wrong: Python would print its traceback."""
        where = f"{record.pathname}:{record.lineno}"
        with suppress(Exception):
            structlog.get_logger().error(
                f"a wrong log call: {record.msg!r}", logger=record.name, where=where, exc_info=True
            )
