"""A place of Redis that nobody can mean is refused before anything starts."""

import pytest

from console import controller
from console.errors import ExitCode, Failure
from console.progress import Silent
from console.settings import load
from streaming.feeds.redis import is_understood


@pytest.mark.parametrize(
    "url",
    [
        "redis://ann:hunter2@h:abc/0",
        "redis://ann:hunter2@h/0?foo=1",
        "redis://h/0?socket_timeout=x",
        "redis://h/0?protocol=9",
        "redis://ann:hunter2@cache..example:6379/0",
        f"redis://ann:hunter2@{'h' * 64}/0",
        "redis://ann:hunter2@h:6379/zero",
        "rediss://h/0?ssl_cert_reqs=bogus",
    ],
)
def test_a_redis_that_cannot_be_meant_is_refused_at_once(url: str) -> None:
    """Before an earlier controller is replaced; what is wrong may be beside a password."""
    settings = load(key_values=[f"redis.url={url}"], environment={}).settings
    with pytest.raises(Failure, match=r"redis\.url is not understood") as refusal:
        controller.run(settings, controller.Asked(), Silent())

    assert ExitCode.USAGE is refusal.value.exit_code
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    ["redis://h", "rediss://ann:pw@h:6379/", "redis://[::1]/3?db=2", "unix:///run/redis.sock"],
)
def test_a_redis_that_can_be_meant_is_understood(url: str) -> None:
    """Whatever its client reads: nothing is asked yet."""
    assert is_understood(url)
