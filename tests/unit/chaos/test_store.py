"""The store takes effects of owners only."""

import socket
from pathlib import Path

import pytest

from chaos.checks import violations
from chaos.history import read
from chaos.store import Store
from console.embedded.broker_files import LOOPBACK
from tests.builders.histories import at


@pytest.mark.slow
def test_a_lower_token_is_refused(tmp_path: Path) -> None:
    """Of the same queue; what is refused has had no effect."""
    with Store(tmp_path) as store:
        with socket.create_connection((LOOPBACK, store.port)) as line:
            line.sendall(b"m0.1 0 1 0 10\nm1.1 0 2 0 10\nm0.1 0 1 1 11\nm0.1 1 1 0 12\n")
            with line.makefile("rb") as answers:
                said = [answers.readline() for _ in range(4)]
        effects = set(store.effects)

    assert [b"1\n", b"1\n", b"0\n", b"1\n"] == said
    assert effects == {10, 12}
    assert ["effect", "effect", "refused", "effect"] == [it.kind for it in read(tmp_path)]


@pytest.mark.slow
def test_who_is_late_shows_in_what_it_writes(tmp_path: Path) -> None:
    """It refuses them all the same, so none of them has an effect."""
    rest = (at(0, "round", "healed"), at(0, "round", "rested"))

    with Store(tmp_path) as store:
        store.take("m1.1", queue=0, token=2, offset=0, number=0)
        assert {} == violations((*rest, *read(tmp_path)))
        store.take("m0.1", queue=0, token=1, offset=1, number=1)
        assert ["tokens never go back in effects"] == list(violations((*rest, *read(tmp_path))))
