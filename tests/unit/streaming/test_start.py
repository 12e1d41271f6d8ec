"""Which checkpoint a query begins with; the other steps of a start are tried on a real Kafka."""

from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from rebalance.groups.model.policy import Policy
from streaming.cell.codec import VERSION
from streaming.pipeline import MOST_WAITING
from streaming.query import QueryFailed
from streaming.startup.checkpoint import CheckpointUnusable
from streaming.startup.losses import Contents, Ends, NotSurveyed
from streaming.startup.supersession import TAKEN_OVER
from streaming.startup.terms import CheckpointRefused, deciding
from streaming.startup.younger import YoungerStart
from tests.unit.streaming.old_checkpoint import kept_of, on_a_checkpoint

NOTHING: Any = None


@pytest.mark.parametrize(
    ("releases", "beats", "kept"),
    [
        (MOST_WAITING + 5, 10 * MOST_WAITING, True),
        (MOST_WAITING + 6, 0, False),
    ],
)
def test_a_checkpoint_that_is_too_old_is_set_aside(
    releases: int, beats: int, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    """More that is urgent waits for it than its first batch may hold.

    Beats may be as many as ever, and so may be what was told to starts that failed.
    What is told to it then might be read after something was decided.
    """
    held = {
        ("t.releases", 3): Ends(0, releases),
        ("t.heartbeats", 0): Ends(0, beats),
        ("t.routes", 0): Ends(0, beats),  # it may have failed at a hundred starts
    }
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, held))
    one, old = on_a_checkpoint(monkeypatch)
    with capture_logs() as lines:
        one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with

    assert ([] if kept else ["set aside", "begun"]) == old.done
    assert ([] if kept else [MOST_WAITING + 1]) == [it["waiting"] for it in lines if "old" in it]


def test_what_is_repeated_under_other_settings_is_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That one batch, until it is finished, and none that was decided after it."""
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, {}))
    one, old = on_a_checkpoint(monkeypatch)
    old.kept = replace(kept_of(old), decides="")  # of a release that did not say

    def differs(unfinished: int | None, strategy: str) -> bool:
        old.unfinished = unfinished
        one.options.policy = Policy(strategy=strategy)  # type: ignore[misc]  # no dataclass here
        return one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with

    assert [True, True] == [differs(7, "STICKY") for _ in range(2)]
    with capture_logs() as lines:
        assert [False, False] == [differs(it, "STICKY") for it in (8, None)]
    assert [] == lines
    assert deciding(one.options) == kept_of(old).decides
    assert [True, True] == [differs(8, it) for it in ("AVG", "STICKY")]  # the second is AVG's
    assert [False, False] == [differs(None, "AVG"), differs(9, "AVG")]


@pytest.mark.parametrize("change", [{"state": VERSION + 1}, {"cells_per_partition": 4}, None])
def test_one_that_was_begun_under_others_is_never_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, int] | None
) -> None:
    """Whenever that was: it stays as it is, so that those others can go on."""
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, {}))
    one, old = on_a_checkpoint(monkeypatch)
    others = None if change is None else replace(kept_of(old), **change)  # type: ignore[arg-type]  # by name
    old.kept = others
    with pytest.raises(CheckpointRefused, match="the checkpoint"):
        one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with

    assert ([], others) == (old.done, old.kept)


def test_the_log_has_it_when_others_have_decided_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """So two controllers with one checkpoint and different settings say it in turn."""
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, {}))
    one, _ = on_a_checkpoint(monkeypatch)
    for strategy, said in (("STICKY", 0), ("AVG", 1), ("AVG", 0), ("STICKY", 1)):
        one.options.policy = Policy(strategy=strategy)  # type: ignore[misc]  # no dataclass here
        with capture_logs() as lines:
            one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with
        assert said == len([it for it in lines if "are not the last ones" in it["event"]])


@pytest.mark.parametrize("in_use", [True, False])
def test_a_damaged_checkpoint_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, *, in_use: bool
) -> None:
    """Also if all its plans are gone; nothing more is read of it, and the log has the files."""
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, {}))
    one, old = on_a_checkpoint(monkeypatch)
    old.hurt, old.in_use = ["offsets/7 is empty"], in_use
    with capture_logs() as lines:
        one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with

    assert ["set aside", "begun"] == old.done
    assert [["offsets/7 is empty"]] == [line["damage"] for line in lines if "old" in line]


def test_a_new_checkpoint_is_begun_if_the_first_try_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails before it: the old one was made under other settings."""
    failures = [NotSurveyed("Kafka does not answer")]

    def look(*_: object) -> Contents:
        for failure in failures:
            failures.clear()
            raise failure
        return Contents("c", {}, {})

    monkeypatch.setattr("streaming.start.survey", look)
    one, old = on_a_checkpoint(monkeypatch)
    one._moves_over = True  # noqa: SLF001 - as its start does
    with pytest.raises(NotSurveyed):
        one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with
    assert [] == old.done

    one._choose_checkpoint("2-b")  # noqa: SLF001 - as above
    assert ["set aside", "begun"] == old.done

    old.in_use = True
    one._choose_checkpoint("3-c")  # noqa: SLF001 - as above
    assert ["set aside", "begun"] == old.done


def test_who_finds_that_a_standby_has_its_checkpoint_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was frozen begins no new checkpoint where the old one was."""
    monkeypatch.setattr("streaming.start.survey", lambda *_: Contents("c", {}, {}))
    one, old = on_a_checkpoint(monkeypatch)
    old.elsewhere = "/c.at-1767312000000-0b5e55ed"
    with pytest.raises(QueryFailed, match="another controller has taken over") as ended:
        one._choose_checkpoint("2-b")  # noqa: SLF001 - what each try begins with

    assert (False, []) == (ended.value.passes, old.done)


@pytest.mark.parametrize("fails", [True, False])
def test_who_was_relieved_ends_although_it_cannot_reach_its_checkpoint(
    monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    """No batch of it reads the start of its successor; who does not fail need not look."""
    told = Contents("c", {"t.routes": "id-1"}, {("t.routes", 0): Ends(0, 99)})
    monkeypatch.setattr("streaming.start.survey", lambda *_: told)
    one, old = on_a_checkpoint(monkeypatch, starts=(12,))
    monkeypatch.setattr(YoungerStart, "found", lambda *_: "t.routes/0@17")
    old.is_there, one.horizon.fails = False, fails
    kind, said = (QueryFailed, TAKEN_OVER) if fails else (CheckpointUnusable, "the mount is lost")
    with pytest.raises(kind, match=said) as ended:
        one._choose_checkpoint("2-b")  # noqa: SLF001 - what each try begins with

    assert fails == (not getattr(ended.value, "passes", True))


@pytest.mark.parametrize(
    ("now", "end"), [("id-2", 9_000), ("id-1", 12)], ids=["made anew", "its end is lost"]
)
def test_who_would_not_notice_a_newer_one_ends(
    monkeypatch: pytest.MonkeyPatch, now: str, end: int
) -> None:
    """Its own start is gone, and another's may stand below where it was."""
    survey = [Contents("c", {"t.routes": "id-1"}, {("t.routes", 0): Ends(0, 13)})]
    monkeypatch.setattr("streaming.start.survey", lambda *_: survey[-1])
    one, old = on_a_checkpoint(monkeypatch, starts=(12,))
    old.kept = replace(kept_of(old), topics=dict(survey[0].topics))
    one._choose_checkpoint("1-a")  # noqa: SLF001 - what each try begins with

    survey.append(Contents("c", {"t.routes": now}, {("t.routes", 0): Ends(0, end)}))
    with pytest.raises(QueryFailed, match=r"t\.routes has lost the record of this start") as ended:
        one._choose_checkpoint("2-b")  # noqa: SLF001 - as above

    assert (False, []) == (ended.value.passes, old.done)
