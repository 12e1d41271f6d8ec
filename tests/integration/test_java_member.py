"""What a member in Java takes for trouble that may pass."""

import subprocess

import pytest

from tests.integration.java_members import java

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("servers", "setting", "ending"),
    [
        ("127.0.0.1:1", ("security.protocol", "SOME"), "ABANDONED"),
        ("no.host.invalid:9092", ("client.id", "worker-1"), "null"),
    ],
    ids=["a wrong setting", "a host that is not found yet"],
)
def test_only_what_may_pass_is_tried_again(
    servers: str, setting: tuple[str, str], ending: str
) -> None:
    """Kafka's client calls both a wrong setting; DNS may know the host in a moment."""
    command = [*java("Settings"), servers, *setting]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    assert ending == said.stdout.strip()
