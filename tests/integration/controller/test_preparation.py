"""What Java makes of the archive of Kafka's classes that `trimtab prepare` has written."""

from pathlib import Path

import pytest

from console.embedded.broker_files import class_archive
from console.embedded.jars import JarCache
from console.preparation import tried, works

pytestmark = pytest.mark.kafka


def elsewhere(directory: Path, left: int | None) -> Path:
    """The jars in another place, with so much of the archive."""
    whole = class_archive(JarCache.default().kafka)
    jars = directory / "kafka"
    jars.symlink_to(whole.parent / "kafka")
    class_archive(jars).write_bytes(whole.read_bytes()[:left])
    return jars


@pytest.mark.parametrize("left", [None, 0, 100], ids=["other paths", "empty", "no archive"])
def test_an_archive_that_does_not_fit_is_passed_over(tmp_path: Path, left: int | None) -> None:
    """Java then starts as without one, and says nothing of it."""
    jars = elsewhere(tmp_path, left)
    done = tried(jars, tmp_path)

    assert (0, "", 22) == (done.returncode, done.stderr, len(done.stdout.strip()))
    assert works(jars, tmp_path)


def test_an_archive_with_which_java_aborts_is_not_kept(tmp_path: Path) -> None:
    """One that was cut off late looks like a good one: Java 17 aborts, others may pass it over."""
    jars = elsewhere(tmp_path, 1_000_000)
    aborts = tried(jars, tmp_path).returncode != 0

    assert aborts != works(jars, tmp_path)
