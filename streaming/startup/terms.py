"""The terms of a checkpoint: settings that cannot change while it is in use.

A group's state is in the cell that it was dealt to, positions belong to the partitions of one
Kafka's topics, and the bytes have a version. With other settings the query would find empty cells
where its groups were, take their members for strangers, and count from 1 again. So the terms are
stored with the checkpoint, and a start under others is refused, key by key.

For some terms a new checkpoint is enough: what is published is adopted, and no queue moves. Others
mean other topics, with other members. What decides may change at each start, but a batch that was
not finished is not decided in two ways (``gate``).

Kept by ``checkpoint``, compared by ``start``. Its one rule: what is not known to be the same
is refused.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from hashlib import sha256
from importlib.metadata import version
from typing import Final, NamedTuple

from rebalance.groups.model.route import NO_ID
from streaming.cell.codec import READABLE, VERSION
from streaming.options import Options
from streaming.parcel import digest_of_code
from streaming.topics import ROUTINE, START_ANEW, URGENT, names
from streaming.wire.places import TASKS

RELEASE: Final = version("trimtab-controller")
NEW_CHECKPOINT: Final = "`trimtab run --new-checkpoint`"
_MOVE_ON: Final = f"move over with {NEW_CHECKPOINT}: no queue moves"
_MOVE: Final = f"set it back, or {_MOVE_ON}"
_ELSEWHERE: Final = (
    "set it back, or give this controller another home: members stay with the old one"
)
DEALING: Final = 2
"""Evenly (``places``)."""
_GROWTH: Final = (
    "set it back: groups would move to other partitions, and their members would not know; for "
    f"more partitions {START_ANEW}"
)


class CheckpointRefused(Exception):  # noqa: N818 - it names what happened
    """The checkpoint is not for these settings: a line for each reason, with what to do."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a checkpoint was begun with."""

    state: int
    """The version of its bytes."""
    cluster: str
    """What its Kafka calls itself."""
    prefix: str
    partitions: int
    cells_per_partition: int
    sources: list[list[str]]
    """What each source of the query reads, without the prefix."""
    topics: dict[str, str]
    """The id of each topic that is read: one that is made anew has another."""
    dealing: int = 1
    """How cells are dealt to several tasks; of old ones, that do not say it: by their hash."""
    decides: str = ""
    """What decides beside the records (``deciding``); empty, as in old ones: unknown."""
    others: int | None = None
    """The batch that may have been decided otherwise before that, and was not finished."""


class _Key(NamedTuple):
    key: str
    remedy: str


_KEYS: Final = {
    "prefix": _Key("topics.prefix", _ELSEWHERE),
    "cluster": _Key("the Kafka behind kafka.bootstrap_servers", _ELSEWHERE),
    "partitions": _Key("topics.partitions", _GROWTH),
    "cells_per_partition": _Key("controller.cells_per_partition", _MOVE),
    "state": _Key(
        "the version of the state",
        f"start the release that wrote it, or {_MOVE_ON}",
    ),
    "sources": _Key("what the query reads", _MOVE_ON),
}
"""Topics are not among them: one that is made anew is a loss, not a setting (``losses``)."""


def present_terms(options: Options, cluster: str, topics: Mapping[str, str]) -> Terms:
    """Return what a checkpoint would be begun with now."""
    return Terms(
        state=VERSION,
        cluster=cluster,
        prefix=options.topics.prefix,
        partitions=options.topics.partitions,
        cells_per_partition=options.query.cells_per_partition,
        sources=[names("", URGENT), names("", ROUTINE)],
        topics=dict(topics),
        dealing=DEALING,
        decides=deciding(options),
    )


def deciding(options: Options) -> str:
    """Return a digest of what decides beside the records: the code, and its settings.

    Empty: unknown, and so never the same.
    """
    code = digest_of_code(options.policy.strategy)
    rules = repr((code, options.policy, options.verdicts))
    return sha256(rules.encode()).hexdigest()[:16] if code else ""


def continued(
    terms: Terms, decides: str, unfinished: int | None, topics: Mapping[str, str]
) -> Terms:
    """Return the terms of a checkpoint that is gone on with: from now on it has this version.

    A batch that was not finished is others' if these decided until now. A Kafka that was upgraded
    calls topics by ids that had none.
    """
    others = terms.others if decides and decides == terms.decides else unfinished
    known = {name: it for name, it in terms.topics.items() if it != NO_ID}
    topics = {**topics, **known}
    return replace(terms, state=VERSION, decides=decides, others=others, topics=topics)


def written(terms: Terms) -> str:
    """Return terms as they are kept."""
    return json.dumps(asdict(terms), indent=2)


def read(text: str) -> Terms | None:
    """Read what ``written`` wrote, by whichever release; None if that lacks what counts."""
    try:
        told = json.loads(text)
        known = [it.name for it in fields(Terms) if it.default is MISSING or it.name in told]
        return Terms(**{name: told[name] for name in known})
    except (ValueError, TypeError, KeyError):
        return None


class Difference(NamedTuple):
    """What is not as it was when a checkpoint was begun."""

    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}"


def differences(before: Terms | None, now: Terms) -> Iterator[Difference]:
    """Say what keeps a checkpoint from being gone on with, key by key."""
    if before is None:
        what = "the checkpoint does not record what it was started with"
        yield Difference(what, _KEYS["sources"].remedy)
        return
    for name, (key, remedy) in _KEYS.items():
        was, wanted = getattr(before, name), getattr(now, name)
        if was != wanted and not (name == "state" and was in READABLE):
            yield Difference(_changed(key, was, wanted), remedy)


def frozen(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Difference]:
    """The same of Spark's own options: it would keep to the old ones, and say nothing."""
    for key, was in sorted(before.items()):
        if now[key] != was:
            yield Difference(_changed(key, was, now[key]), _MOVE)


def dealt_otherwise(before: Terms | None, frozen: Mapping[str, str]) -> Iterator[Difference]:
    """Say if several tasks would find other cells than they have remembered.

    Args:
        before: What the checkpoint was begun with.
        frozen: The options of Spark's that it has frozen.
    """
    tasks = int(frozen.get(TASKS, "1"))
    if before is not None and before.dealing != DEALING and tasks > 1:
        yield Difference(f"an earlier release has dealt cells to {tasks} tasks unevenly", _MOVE_ON)


def _changed(key: str, was: object, wanted: object) -> str:
    return f"{key} is {wanted}, but the checkpoint was started with {was}"
