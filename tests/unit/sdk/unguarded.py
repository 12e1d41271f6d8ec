"""Every way for a member to be without a guard, brought about, for `mistakes`."""

from collections.abc import Iterator

import pytest

from tests.builders.application import until
from tests.builders.sessions import GROUP, MINE
from trimtab.guard_lines import Post
from trimtab.guarding import Guard
from trimtab.holdings import Holdings


def unguarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """There is none; one that ends at once, and one that does not answer."""
    told: list[str] = []
    post = Post(servers="broker-1:9092", group=GROUP)
    nothing = Holdings(member="m", incarnation=MINE, queues=())
    Guard(post, "/run/guard.sock").start(lambda error: told.append(str(error)))
    monkeypatch.setattr("trimtab.guarding._COMMAND", ("sh", "-c", "exit 1"))
    dying = Guard(post, None)
    dying.start(lambda error: told.append(str(error)))

    def mourned() -> bool:
        dying.keep(nothing)
        return len(told) == 2

    until(mourned)
    with monkeypatch.context() as patched:
        patched.setattr("trimtab.guarding._COMMAND", ("sh", "-c", "read line; read line"))
        patched.setattr("trimtab.guarding._WELCOME_S", 0.0)
        silent = Guard(post, None)
        silent.start(lambda error: told.append(str(error)))
        silent.keep(nothing)
        silent.dismiss()
    yield from told
