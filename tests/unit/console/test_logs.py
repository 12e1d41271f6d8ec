"""Log lines go to stderr: for people, or one JSON object a line."""

import json
from collections.abc import Iterator

import pytest
import structlog

from console.logs import configure
from console.settings.sections import LogSettings


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Leave structlog as it was."""
    yield
    structlog.reset_defaults()


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """What collectors expect, exceptions included; nothing on stdout."""
    configure(LogSettings(format="json"))
    structlog.get_logger().error("it happened", group="g", exc_info=RuntimeError("broken"))
    out, err = capsys.readouterr()
    line = json.loads(err)
    assert "" == out
    assert ("it happened", "error", "g") == (line["event"], line["level"], line["group"])
    assert "broken" == line["exception"][0]["exc_value"]


def test_people_get_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody can see colours there are none."""
    configure(LogSettings())
    structlog.get_logger().info("it happened", group="g")
    _, err = capsys.readouterr()
    assert "it happened" in err
    assert "group=g" in err
    assert "\x1b" not in err


def test_less_important_lines_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """The level is the least important that is shown."""
    configure(LogSettings(level="warning"))
    structlog.get_logger().info("small")
    structlog.get_logger().warning("large")
    _, err = capsys.readouterr()
    assert "small" not in err
    assert "large" in err
