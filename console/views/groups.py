"""Groups: how each is, on one line, and one of them on one screen.

Rows of summaries, which are the newest of each group.
"""

from collections.abc import Iterable, Mapping, Sequence

from console.briefs import Brief
from console.views.moments import said
from console.views.sentences import place, source
from trimtab.protocol import Cause, Group

Row = dict[str, object]

NARROW = (
    "group",
    "state",
    "members",
    "assigned",
    "moving",
    "unassigned",
    "epoch",
    "since",
    "cause",
)
WIDE = ("strategy", "topics", "paused", "target_epoch", "shortage", "ailment", "place", "detail")
TOPIC = ("topic", "queues", "left_out", "state", "version")


def row(group: Group | Brief) -> Row:
    """Describe a group on one line; the same columns for each."""
    queues = group.queues
    return {
        "group": group.group,
        "state": f"{group.state}, paused" if group.paused else group.state,
        "members": group.members,
        "assigned": queues.assigned,
        "moving": queues.moving,
        "unassigned": queues.unassigned,
        "epoch": group.epoch,
        "since": said(group.at_ms),
        "cause": source(group.cause),
        "strategy": group.strategy,
        "topics": len(group.topics) + (group.more_topics or 0),
        "paused": bool(group.paused),
        "target_epoch": group.target_epoch,
        "shortage": shortage(group),
        "ailment": group.ailment,
        "place": place(group.cause),
        "detail": group.cause.detail,
    }


def shortage(group: Group | Brief) -> str | None:
    """Say why queues have no owner, if the group knows it."""
    reasons = (group.shortage or {}).items()
    return "; ".join(f"{count}: {reason}" for reason, count in reasons) or None


def rows(groups: Iterable[Group | Brief], states: Sequence[str] = (), like: str = "") -> list[Row]:
    """Describe groups, or those in some states and with a part of a name."""
    return [row(it) for it in groups if (not states or it.state in states) and like in it.group]


def topics(group: Group) -> list[Row]:
    """Describe the topics that its members subscribe."""
    return [
        {
            "topic": name,
            "queues": topic.queues,
            "left_out": topic.left_out or 0,
            "state": "awaited" if topic.awaited else "popped" if topic.popped else "known",
            "version": topic.version,
        }
        for name, topic in sorted(group.topics.items())
    ]


def commanded(group: Group) -> Row:
    """Describe what an operator has set for the group alone."""
    return {
        "own_strategy": group.own_strategy,
        "paused_until": said(group.paused_until_ms),
        "rules": rules(group),
        "pace_ms": group.pace_ms,
    }


def rules(group: Group) -> Mapping[str, object]:
    """Return the policy that an operator has given the group alone."""
    return {} if group.overrides is None else group.overrides.model_dump(exclude_none=True)


def because(cause: Cause) -> Row:
    """Describe a cause for programs."""
    return {
        "kind": cause.kind,
        "subject": cause.subject,
        "place": place(cause),
        "detail": cause.detail,
    }
