"""Who has no work at the end is excused only if the controller says so."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from chaos import resting
from chaos.history import Recorder, read
from chaos.resting import Resting
from console.errors import Away

PEOPLE = [("m0", None), ("m1", True), ("chaos@m2@STREAM", True)]


@pytest.mark.parametrize(
    ("idle", "excused"), [((), True), (("m1", "m2"), True), (("m0",), False), (("m0", "m1"), False)]
)
def test_all_of_them_have_to_rest(
    idle: tuple[str, ...], *, excused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is written down who does."""
    people = [SimpleNamespace(member=name, resting=rests) for name, rests in PEOPLE]
    groups = {"g": SimpleNamespace(people=people)}
    monkeypatch.setattr(resting, "Published", lambda _: SimpleNamespace(groups=lambda _: groups))

    assert excused == those(tmp_path).excuses(idle)
    assert [("resting", it) for it in idle if excused] == [
        (it.kind, it.who) for it in read(tmp_path)
    ]


def test_a_kafka_that_does_not_answer_excuses_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has just come back; it is asked again."""

    def away(_: object) -> None:
        raise Away("no answer")

    monkeypatch.setattr(resting, "Published", away)

    assert not those(tmp_path).excuses(["m1"])


def those(home: Path) -> Resting:
    """Those of a group, as a round has them."""
    broker, controller = SimpleNamespace(servers="none:9"), SimpleNamespace(prefix="t.")
    record = Recorder(home / "round.events", "round")
    return Resting((broker, controller), "g", record)  # type: ignore[arg-type]  # as much as is asked
