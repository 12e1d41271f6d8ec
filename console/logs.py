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
    plain = "NO_COLOR" in os.environ or not sys.stderr.isatty()
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(colors=not plain)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks
            if settings.format == "json"
            else structlog.processors.StackInfoRenderer(),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.level.upper()]
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
