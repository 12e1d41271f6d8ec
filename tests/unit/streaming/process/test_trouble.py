"""Trouble is said when it begins, when its reason changes, and when it is over."""

import structlog
from structlog.testing import capture_logs

from streaming.process.trouble import Trouble


def test_only_changes_are_said() -> None:
    """However often something fails or works, the log has one line for each change.

    A reason is another one if it differs by more than numbers.
    """
    with capture_logs() as lines:
        trouble = Trouble(structlog.get_logger(), "send the post")
        trouble.over()
        for reason in ("snow", "snow", "ice for 3 s", "snow", "ice for 30 s"):
            trouble.met(reason)
        for _ in range(2):
            trouble.over()

    assert [
        {"event": "cannot send the post; retrying", "reason": "snow", "log_level": "warning"},
        {
            "event": "still cannot send the post, for another reason; retrying",
            "reason": "ice for 3 s",
            "log_level": "warning",
        },
        {"event": "can send the post again", "log_level": "info"},
    ] == lines


def test_reasons_without_end_are_cut_short() -> None:
    """Somebody else writes them."""
    with capture_logs() as lines:
        trouble = Trouble(structlog.get_logger(), "send the post")
        for reason in range(100):
            trouble.met("x" * reason)

    assert 10 == len(lines)
