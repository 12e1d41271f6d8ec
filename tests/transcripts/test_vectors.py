"""The member's session as vectors for other languages: each story is played again and compared.

`clients/vectors/*.json` holds them, and `docs/other-languages.md` says how a port plays them. What
goes in is written by hand; what comes out is the session's answer, and `--rewrite` writes it anew.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, assert_never

import pytest

from tests.builders.checkout import ROOT, text
from trimtab.protocol import ASSIGNMENTS, RELEASES, QueueRef, Record, Topic, decode
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    FindEnd,
    Grant,
    Lost,
    MemberSession,
    Profile,
    Revoked,
    Send,
    Unheard,
)

Json = dict[str, Any]
R = TypeVar("R", bound=Record)

VECTORS: Final = sorted((ROOT / "clients" / "vectors").glob("*.json"))
PAGE: Final = text(Path("docs/other-languages.md"))


def played(story: Json) -> Json:
    """Play a story: what goes in as it stands, what comes out as it is now."""
    profile = {**story["profile"], "topics": tuple(story["profile"]["topics"])}
    session = MemberSession(Profile(**profile), story["incarnation"], 0)
    steps = [{**step, **_answered(session, step)} for step in story["steps"]]
    return {**story, "steps": steps}


def _answered(session: MemberSession, step: Json) -> Json:
    out = [shown for action in _fed(session, step) for shown in _shown(action)]
    ended = session.phase == "ended"
    return {"out": out, "wake_at": None if ended else session.wake_at}


def _fed(session: MemberSession, step: Json) -> list[Action]:
    """Hand in what happens."""
    now = step["at"]
    ((what, it),) = step["in"].items()
    feed: dict[str, Callable[[], list[Action]]] = {
        "tick": lambda: session.tick(now),
        "acknowledged": lambda: session.acknowledged(it, now),
        "failed": lambda: session.failed(it, now),
        "caught_up": lambda: session.caught_up(it, now),
        "assignment": lambda: session.receive(it and _record(ASSIGNMENTS, it), now),
        "release": lambda: session.hear(_record(RELEASES, it), now),
        "finished": lambda: session.finish(
            {_grant(session, row): row["position"] for row in it}, now
        ),
        "stop": lambda: session.stop(now, it["timeout_ms"], temporary=it["temporary"]),
    }
    return feed[what]()


def _record(topic: Topic[R], it: Json) -> R:
    return decode(topic, json.dumps(it).encode())


def _grant(session: MemberSession, row: Json) -> Grant:
    """What is revoked by this queue and token; one that was lost meanwhile is nobody's."""
    topic, broker, number = row["queue"]
    known = [it for it in session.revoking if _queue(it) == {k: row[k] for k in ("queue", "token")}]
    return known[0] if known else Grant(QueueRef(topic, broker, number), row["token"])


def _shown(action: Action) -> Iterator[Json]:
    """What a port has to do as well; what is only for people is left out."""
    match action:
        case Send(topic, key, value, ticket):
            record = json.loads(value)
            yield {"send": ticket, "topic": topic, "key": key.decode(), "record": record}
        case FindEnd():
            yield {"find_end": True}
        case Assigned(grants):
            yield {"assigned": [_queue(it) | {"position": it.position} for it in grants]}
        case Revoked(grants):
            yield {"revoked": [_queue(it) for it in grants]}
        case Lost(grants, reason):
            yield {"lost": [_queue(it) for it in grants], "reason": reason.name.lower()}
        case Ended(ending):
            yield {"ended": ending.value}
        case Unheard():
            pass
        case _:
            assert_never(action)


def _queue(grant: Grant) -> Json:
    return {"queue": list(grant.queue), "token": grant.token}


def written(story: Json) -> str:
    """A story as its file has it: a line for each thing that goes in or comes out."""
    head = [f" {json.dumps(name)}: {_line(it)}," for name, it in story.items() if name != "steps"]
    steps = ",\n".join(map(_step, story["steps"]))
    return "\n".join(["{", *head, ' "steps": [', steps, " ]", "}"]) + "\n"


def _step(step: Json) -> str:
    out = ",".join(f"\n    {_line(it)}" for it in step["out"])
    said = f'"say": {_line(step["say"])}, ' if "say" in step else ""
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


def test_the_page_names_every_vector() -> None:
    """And a folder that was moved must not turn into a test of nothing."""
    named = [it for it in PAGE.split("`") if it.endswith(".json")]

    assert 15 <= len(VECTORS)
    assert {path.name for path in VECTORS} == set(named)
