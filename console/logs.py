"""Where log lines go and how they look: stderr, for people or as one JSON object a line.

Layers below ask structlog for a logger and know nothing of this. Called once, by a command that
runs for long.
"""

import logging
import os
import sys

import structlog

from console.settings.sections import LogSettings


def configure(settings: LogSettings) -> None:
    """Set up structlog for the whole process."""
    colours = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    rendered: list[structlog.typing.Processor] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
        if settings.format == "json"
        else [structlog.dev.ConsoleRenderer(colors=colours)]
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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
