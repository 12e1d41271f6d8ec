"""The member's session as vectors for other languages: each story is played again and compared.

`clients/vectors/*.json` holds them, and `docs/other-languages.md` says how a port plays them. What
goes in is written by hand; what comes out is the session's answer, and `--rewrite` writes it anew.
"""

import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final
from unittest.mock import patch

import pytest

from tests.builders.checkout import ROOT, text
from tests.builders.session_stories import Json, played
from trimtab import session
from trimtab.protocol import Assignment, Release
from trimtab.session import Action, MemberSession, Profile
from trimtab.session.actions import LossReason
from trimtab.session.nominee import named
from trimtab.session.recall import Recall

VECTORS: Final = sorted((ROOT / "clients" / "vectors").glob("*.json"))
RULES: Final = Path("docs/protocol.md")
PAGE: Final = text(Path("docs/other-languages.md"))


def written(story: Json) -> str:
    """A story as its file has it: a line for each thing that goes in or comes out."""
    head = [f" {json.dumps(name)}: {_line(it)}," for name, it in story.items() if name != "steps"]
    steps = ",\n".join(map(_step, story["steps"]))
    return "\n".join(["{", *head, ' "steps": [', steps, " ]", "}"]) + "\n"


def _step(step: Json) -> str:
    out = ",".join(f"\n    {_line(it)}" for it in step["out"])
    said = "".join(f'"{it}": {_line(step[it])}, ' for it in ("say", "of") if it in step)
    return (
        f'  {{{said}"at": {step["at"]}, "in": {_line(step["in"])},\n'
        f'   "out": [{out}], "wake_at": {_line(step["wake_at"])}}}'
    )


def _line(it: object) -> str:
    return json.dumps(it, ensure_ascii=False)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_session_plays_it(path: Path, pytestconfig: pytest.Config) -> None:
    """The same inputs lead to the same records and callbacks."""
    actual = written(played(json.loads(path.read_text("utf-8"))))
    if pytestconfig.getoption("rewrite"):
        path.write_text(actual, "utf-8")

    assert path.read_text("utf-8") == actual


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_what_fails_is_what_the_story_says(path: Path) -> None:
    """A number alone would still be some record's when a rule changes; `played` compares the kind.

    So `release_lost` once lost a beat, and nobody saw it.
    """
    steps = json.loads(path.read_text("utf-8"))["steps"]

    assert all("of" in step for step in steps if "failed" in step["in"])


STORIES_OF_LEAVING: Final = ("leave", "leave_in_vain", "leave_idle", "leave_for_a_while")


def test_who_has_nothing_or_leaves_for_a_while_does_not_drain() -> None:
    """The controller would read that first, and give away what it is to keep (rule 5)."""
    assert {"leave", "leave_in_vain"} == {
        path.stem
        for path in VECTORS
        if path.stem in STORIES_OF_LEAVING and '"kind": "drain"' in path.read_text("utf-8")
    }
    assert "Write `drain`, unless you have nothing or leave for a while." in text(RULES)


_SUCCESSOR: Final = Recall.successor
_JOIN: Final = Profile.join
_HEAR: Final = MemberSession.hear
_RECEIVE: Final = MemberSession.receive
_START_OVER: Final = MemberSession._start_over  # noqa: SLF001 - a fault goes in there


def _hear_and_keep(session: MemberSession, release: Release, now: int) -> list[Action]:
    """Work on, though a mark has brought somebody who comes next."""
    with patch.object(session, "_part"):
        return _HEAR(session, release, now)


def _receive_all(session: MemberSession, record: Assignment | None, now: int) -> list[Action]:
    """Take what is for an earlier life as if it were for this one."""
    if record is not None and record.incarnation < session.incarnation:
        record = record.model_copy(update={"incarnation": session.incarnation})
    return _RECEIVE(session, record, now)


def _start_over_anew(session: MemberSession, reason: LossReason, now: int) -> None:
    """Remember one earlier life, and not those before."""
    with patch.object(session, "_last_epoch", None):
        _START_OVER(session, reason, now)
        last = session._last_epoch  # noqa: SLF001 - as above
    vars(session)["_last_epoch"] = last


FAULTS: Final[dict[str, tuple[str, object]]] = {
    # what a port may do wrong: (where, how)
    "subscribes everything": (
        "member_profile.Profile.subscribes",
        lambda _profile, _topic: True,
    ),
    "names who has gone": (
        "recall.Recall.successor",
        lambda recall, life: _SUCCESSOR(recall, life) or life,
    ),
    "knows not whose it was": (
        "baton.named",
        lambda outlook, *known: named(outlook._replace(source=None), *known),
    ),
    "goes without a word": ("mark.Mark.goes_unsaid", property(lambda _mark: False)),
    "obeys the same epoch again": (
        "session.MemberSession.is_news",
        lambda session, record: (
            session.incarnation == record.incarnation and session.epoch <= record.epoch
        ),
    ),
    "takes 0 for nothing": (
        "member_profile.Profile.join",
        lambda profile, life, sequence, last=None: _JOIN(profile, life, sequence, last or None),
    ),
    "obeys what is for its earlier life": (
        "session.MemberSession.receive",
        _receive_all,
    ),
    "drops what is promised under another epoch": ("baton.Baton._is_begun", lambda *_: False),
    "hands on at a record alone": ("session.MemberSession.hear", _hear_and_keep),
    "forgets what the life before last was told": (
        "session.MemberSession._start_over",
        _start_over_anew,
    ),
    "asks in vain": ("asking.Asking.failed", lambda *_: None),
    "repeats nothing": ("outbox.Outbox.post_again", lambda _outbox: []),
    "beats short at once": ("statement.Statement.outdated", lambda _statement: None),
}


@pytest.mark.parametrize(("where", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_port_that_is_wrong_cannot_play_them(
    where: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors that any session could play would check nothing."""
    monkeypatch.setattr(f"trimtab.session.{where}", fault)
    stories = [json.loads(path.read_text("utf-8")) for path in VECTORS]

    assert any(story != _tried(story) for story in stories)


def _tried(story: Json) -> Json | None:
    """Play a story; None: a wrong session sends other records than the story goes on about."""
    try:
        return played(story)
    except (AssertionError, KeyError):
        return None


def test_the_page_has_every_time_of_the_session() -> None:
    """Stories demand them to the millisecond, and a port reads no Python."""
    names = [f"trimtab.session.{it.name}" for it in iter_modules(session.__path__)]
    times = {
        value
        for name in names
        for constant, value in vars(import_module(name)).items()
        if constant.endswith("_MS")
    }

    assert len(times) > 2
    assert [] == [it for it in times if f" {it:,} ms" not in PAGE]


def test_the_page_names_every_vector() -> None:
    """And a folder that was moved must not turn into a test of nothing."""
    named = [it for it in PAGE.split("`") if it.endswith(".json")]

    assert 15 <= len(VECTORS)
    assert {path.name for path in VECTORS} == set(named)
