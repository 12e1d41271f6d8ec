"""What operate.md has people install and keep is as the controller needs it."""

import re
from configparser import ConfigParser
from pathlib import Path

from console.errors import ExitCode
from tests.builders.checkout import text

PAGE = text(Path("docs/operate.md"))


def test_the_unit_starts_again_what_may_pass_ever_more_rarely() -> None:
    """Each start writes all that is published once more, and that may go on for a weekend."""
    unit = ConfigParser(strict=True)
    (shown,) = re.findall(r"```ini\n(.*?)```", PAGE, flags=re.DOTALL)
    unit.read_string(shown)
    service = unit["Service"]
    final = {ExitCode.USAGE, ExitCode.UNHEALTHY, ExitCode.TAKEN_OVER}

    assert final == {int(it) for it in service["RestartPreventExitStatus"].split()}
    assert service.getint("RestartSteps") > 0  # else the next is ignored
    assert service["RestartMaxDelaySec"].endswith("min")
    assert service.getint("RestartSec") < 60
