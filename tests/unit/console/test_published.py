"""What counts of compacted topics, read in order; Kafka itself is in `tests/integration`."""

import json
from collections.abc import Iterator

import pytest

from console.errors import ExitCode, Failure
from console.names import the_group, unknown
from console.output import Remark
from console.published import Published, at_once, left_out
from console.settings import Settings, load
from console.views import incidents
from tests.unit.console.planning.published_group import Message
from tests.unit.console.views.published_records import (
    LIFE,
    START_MS,
    assignment,
    cause,
    group,
    hold,
    joined,
)
from trimtab.protocol import TICK_KEY, Beat, Conflict, Controller, Record, Tick, encode, member_key


@pytest.fixture
def settings() -> Settings:
    """Of some cluster."""
    return load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings


def reading(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    *said: tuple[bytes | None, Record | bytes | None],
) -> Published:
    """What is published, where each topic holds these records."""

    def messages(*_: object, **__: object) -> Iterator[Message]:
        for number, (key, record) in enumerate(said):
            yield Message(key, encode(record) if isinstance(record, Record) else record, number)

    monkeypatch.setattr("console.published.messages", messages)
    return Published(settings)


def test_the_last_record_of_a_key_counts(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none after a tombstone; what nobody can read is left out, and it is said which."""
    published = reading(
        settings,
        monkeypatch,
        (b"b", group("x", group="b", epoch=4)),
        (b"a", group(group="a")),
        (b"b", group("x", group="b", epoch=5)),
        (b"gone", group(group="gone")),
        (b"gone", None),
        (b"bad", b"\xff"),
        (None, group(group="nobody")),
    )
    found = published.groups()

    assert ["a", "b"] == list(found)
    assert 5 == found["b"].epoch
    assert ["t/0@5", "t/0@6"] == sorted(it.place for it in published.unreadable)


def test_of_one_group_nothing_of_another_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its name begins the same: they may be in one partition."""
    published = reading(
        settings,
        monkeypatch,
        (member_key("bill", "a"), assignment("a", group="bill", hold=(hold(0, 2),))),
        (member_key("billing", "a"), assignment("a")),
        (member_key("bill/ing", "a"), assignment("a", group="bill/ing")),
    )
    assert [("bill", "a")] == list(published.assignments("bill"))
    assert 3 == len(published.assignments())


def test_a_group_that_is_not_there_is_named_with_its_like(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever mistypes it sees what was meant."""
    published = reading(settings, monkeypatch, (b"billing", group()), (b"x", group(group="x")))
    with pytest.raises(Failure, match=r"there is no group biling; there is billing$") as failure:
        the_group(published, "biling")

    assert ExitCode.NOT_FOUND == failure.value.exit_code
    assert "billing" == the_group(published, "billing").group
    assert unknown("group", "a", []).endswith("there is no group at all yet")


def test_what_cannot_be_read_is_named_once_however_often_it_is_met(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three places are enough to look at; who looks again is told again."""
    published = reading(settings, monkeypatch, (b"a", b"\xff"))
    for _ in range(2):
        published.groups()
    said = left_out(published)

    assert said is not None
    assert said.text.startswith("1 record of trimtab's own topics cannot be read by this release")
    assert said.text.endswith(": t/0@0")
    assert left_out(published) is None
    published.groups()
    assert said == left_out(published)


def test_more_that_cannot_be_read_is_nothing_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer controller writes every five seconds; who watches is told again of another topic."""

    def said(count: int, *, more: bool) -> Remark:
        """Say what is missing where so many records cannot be read, and those of verdicts."""
        published = reading(settings, monkeypatch, *[(b"a%d" % it, b"\xff") for it in range(count)])
        published.groups()
        if more:
            published.verdicts()
        found = left_out(published)
        assert found is not None
        return found

    of_groups = [said(it, more=False) for it in range(1, 6)]
    assert (5, 1) == (len({it.text for it in of_groups}), len({it.about for it in of_groups}))
    assert said(5, more=True).about != of_groups[-1].about


def test_a_group_whose_summary_cannot_be_read_is_not_said_to_be_missing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lives, and a newer controller may have more to say of it; what is like it is another."""
    later = encode(group()).replace(b'"stable"', b'"hovering"')
    published = reading(settings, monkeypatch, (b"billing", later))
    with pytest.raises(Failure, match=r"^the summary of billing cannot be read") as failure:
        the_group(published, "billing")

    assert (ExitCode.ERROR, True) == (failure.value.exit_code, "t/0@0" in str(failure.value))
    with pytest.raises(Failure, match="there is no group bill; there is no group at all yet"):
        the_group(published, "bill")


def test_history_is_that_of_one_name(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the places where the entries stand; or of all."""
    entries = ((b"billing", joined("a")), (b"x", joined("b")), (b"billing", b"{}"))
    published = reading(settings, monkeypatch, *entries)

    assert ["t/0@0"] == [it.place for it in published.history("billing")]
    assert 2 == len(published.history(None))


def test_what_a_repeated_batch_wrote_again_accuses_nobody(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed once is one; a controller that was, too, makes no two of it."""
    conflict = Conflict(
        group="billing",
        older="a",
        older_incarnation=LIFE,
        newer="a",
        newer_incarnation=LIFE,
        rule="fence-older",
        at_ms=START_MS,
        cause=cause("a"),
    )
    batch = ((b"billing", joined("a")), (b"billing", conflict))
    told = reading(settings, monkeypatch, *batch * incidents.RETURNS).history(None)

    assert ["t/0@0", "t/0@1"] == [it.place for it in told]
    assert [] == list(incidents.of_history(it.entry for it in told))


def test_ticks_are_told_from_beats(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one of each partition, and when it was appended."""
    beat = Beat(member="a", incarnation=LIFE, sequence=0, epoch=0)
    ticks = [Tick(controller="c", number=number, start=LIFE) for number in (1, 2)]
    published = reading(
        settings, monkeypatch, (TICK_KEY, ticks[0]), (TICK_KEY, ticks[1]), (b"billing", beat)
    )
    assert {0: (START_MS + 1, ticks[1])} == published.ticks(0)


def test_a_controller_that_is_forgotten_is_not_listed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A null value under its name means that it is gone, as on all compacted topics."""
    said = Controller.model_validate_json(json.dumps(Controller.model_json_schema()["examples"][0]))
    published = reading(settings, monkeypatch, (b"old", said), (b"new", said), (b"old", None))

    assert [(START_MS + 1, said)] == published.controllers()


def test_what_fails_in_the_other_thread_fails_here() -> None:
    """Nothing is swallowed."""

    def fails() -> None:
        raise Failure("no")

    with pytest.raises(Failure, match="no"):
        at_once(fails)
    assert 7 == at_once(lambda: 7)
