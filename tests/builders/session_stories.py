"""Stories of a member's session, as `clients/vectors` has them: what goes in, what comes out.

`docs/other-languages.md` says what each field means. `wandering` makes more of them, by chance:
whoever has another session plays them and compares.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, assert_never

from trimtab.guard_lines import line_of
from trimtab.holdings import Holdings
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


def played(story: Json) -> Json:
    """Play a story: what goes in as it stands, what comes out as it is now."""
    profile = {**story["profile"], "topics": tuple(story["profile"]["topics"])}
    session = MemberSession(Profile(**profile), story["incarnation"], 0)
    kinds: dict[int, str] = {}
    steps: list[Json] = []
    for step in story["steps"]:
        if "of" in step:  # what comes out is rewritten, and its numbers shift; what goes in is not
            (number,) = step["in"].values()
            assert step["of"] == kinds[number], f"{number} is a {kinds[number]}: {step}"
        steps.append({**step, **answered(session, step)})
        sent = (it for it in steps[-1]["out"] if "send" in it)
        kinds |= {it["send"]: it["record"]["kind"] for it in sent}
    return {**story, "steps": steps}


def answered(session: MemberSession, step: Json) -> Json:
    """Hand in what happens; return what comes out, and when the session must be asked again."""
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


LIVES: Final = [
    ["worker-1", "1767225600000-00000001"],
    ["worker-1", "1767225600000-00000002"],
    ["worker-2", "1767225601000-0000000a"],
    ["worker-2", "1767225602000-0000000a"],
    ["worker-3", "1767225603000-0000000a"],
]
"""The first two are the session's own."""
_PAUSES_MS: Final = (0, 1, 10, 100, 500, 2_000, 5_000)
"""A session is ten seconds: most steps come soon, and some stories see it end."""
_SHARE_OF_SOON: Final = (30, 20, 20, 15, 8, 5, 2)


def wandering(seed: int, steps: int) -> Json:
    """Make a story of so many steps: its records may contradict one another, as a log's may."""
    return _Wanderer(random.Random(seed)).story(steps)


class _Wanderer:
    """Makes one story, with the session beside it that says which tickets and grants there are."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._profile: Json = {"group": "g", "member": "worker-1", "topics": ["orders"]}
        self._profile |= {"session_timeout_ms": 10_000, "revocation_timeout_ms": 20_000}
        self._tickets: list[int] = []
        self._now = self._epoch = self._sequence = 0

    def story(self, steps: int) -> Json:
        life = LIVES[0][1]
        head = {"says": "wanders", "profile": self._profile, "incarnation": life}
        topics = {"topics": tuple(self._profile["topics"])}
        session = MemberSession(Profile(**{**self._profile, **topics}), life, 0)
        made: list[Json] = []
        for _ in range(steps):
            self._now += self._chance.choices(_PAUSES_MS, _SHARE_OF_SOON)[0]
            step: Json = {"at": self._now, "in": self._happens(session)}
            step |= answered(session, step)
            step["holds"] = json.loads(line_of(Holdings.of(session)))  # what its guard is told
            self._tickets += [it["send"] for it in step["out"] if "send" in it]
            made.append(step)
        return {**head, "steps": made}

    def _happens(self, session: MemberSession) -> Json:
        """Choose what goes in next."""
        feed: dict[str, tuple[int, Callable[[], object]]] = {
            "tick": (10, lambda: True),
            "acknowledged": (30, self._ticket),
            "failed": (3, self._ticket),
            "caught_up": (10, lambda: self._now),
            "assignment": (20, lambda: self._assignment(session)),
            "release": (20, self._release),
            "finished": (10, lambda: [self._finished(it) for it in session.revoking]),
            "stop": (1, lambda: {"timeout_ms": 3_000, "temporary": self._chance.random() < 0.2}),
        }
        what = self._chance.choices([*feed], [often for often, _ in feed.values()])[0]
        return {what: feed[what][1]()}

    def _ticket(self) -> int:
        """One that nothing is known of yet; or of a record that was never sent."""
        at = self._chance.randrange(len(self._tickets) + 1)
        return self._tickets.pop(at) if at < len(self._tickets) else 0

    def _finished(self, grant: Grant) -> Json:
        return {"queue": list(grant.queue), "token": grant.token, "position": self._some(99)}

    def _assignment(self, session: MemberSession) -> Json | None:
        if self._chance.random() < 0.05:
            return None
        self._epoch += self._chance.choice((0, 1, 1, 2))
        queues: dict[str, list[list[object]]] = {"hold": [], "give": [], "inherit": []}
        for number in range(4):
            to = self._chance.choice(("hold", "hold", "give", "inherit", "none"))
            if to == "inherit":
                row: list[object] = [
                    number,
                    self._drawn(),
                    self._chance.randrange(5),
                    self._drawn(),
                ]
                queues[to].append(row)
            elif to in queues:
                queues[to].append([number, self._drawn(), self._some(9), *self._taker()])
        is_younger = self._chance.random() < 0.01
        return {
            "v": 1,
            "kind": "assignment",
            "group": "g",
            "member": "worker-1",
            "incarnation": "1767225600009-00000001" if is_younger else session.incarnation,
            "epoch": self._epoch,
            "target_epoch": self._epoch,
            "hold": self._shelved("to", queues["hold"]),
            "give": self._shelved("to", queues["give"]),
            "inherit": self._shelved("from", queues["inherit"]),
            "revocation_timeout_ms": 20_000,
            "session_timeout_ms": 10_000,
            "heartbeat_interval_ms": 3_000,
            "cause": {"kind": "join"},
            "join_again": self._chance.choice((None, None, None, True)),
        }

    def _release(self) -> Json:
        self._sequence += 1
        member, incarnation = self._chance.choice(LIVES)
        rows: list[list[object]] = [
            [number, self._drawn(), self._some(99), self._some(9), *self._taker()]
            for number in range(4)
            if self._chance.random() < 0.4
        ]
        return {
            "v": 1,
            "kind": "release",
            "member": member,
            "incarnation": incarnation,
            "sequence": self._sequence,
            "queues": self._shelved("to", rows),
            "by": self._chance.choice((None, None, "guard", "controller")),
            "gone": self._chance.choice((None, None, None, True)),
        }

    def _shelved(self, lives: str, rows: list[list[object]]) -> Json:
        shelf = [{"topic": self._chance.choice(("orders", "other")), "queues": rows}]
        return {lives: LIVES, "queues": shelf if rows else []}

    def _drawn(self) -> int:
        """An epoch that may have been drawn by now."""
        return self._chance.randint(max(1, self._epoch - 3), self._epoch + 2)

    def _some(self, most: int) -> int | None:
        return self._chance.choice((None, self._chance.randint(1, most)))

    def _taker(self) -> list[int]:
        return self._chance.choice(([], [], [self._chance.randrange(5)]))
