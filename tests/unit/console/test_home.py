"""A home that the controller cannot use: is a setting wrong, or is it away for a moment?"""

import errno
import os
from pathlib import Path

import pytest

from console import controller
from console.errors import Failure


@pytest.mark.parametrize(
    ("number", "code"), [(errno.EROFS, 1), (errno.ESTALE, 1), (errno.ENOSPC, 1), (errno.EACCES, 2)]
)
def test_one_that_is_away_for_a_moment_is_no_wrong_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, code: int
) -> None:
    """A supervisor starts the controller again, but not after what a setting has ended."""

    def refused(*_: object, **__: object) -> bool:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("console.file_lock.FileLock.acquire", refused)
    with (
        pytest.raises(Failure, match="which cannot be used: ") as ended,
        controller._sole_controller(tmp_path),  # noqa: SLF001 - the rest starts Spark
    ):
        pass

    assert code == ended.value.exit_code
