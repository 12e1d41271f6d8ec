"""Trouble is said twice: when it begins and when it is over."""

import structlog
from structlog.testing import capture_logs

from streaming.process.trouble import Trouble


def test_only_changes_are_said() -> None:
    """However often something fails or works, the log has one line for each change."""
    with capture_logs() as lines:
        trouble = Trouble(structlog.get_logger(), "the post")
        trouble.over()
        for reason in ("snow", "ice"):
            trouble.met(reason)
        for _ in range(2):
            trouble.over()

    assert [
        {"event": "the post failed; retrying", "reason": "snow", "log_level": "warning"},
        {"event": "the post works again", "log_level": "info"},
    ] == lines
