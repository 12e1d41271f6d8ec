"""How a plan is shown: what would move, first in sum, then queue by queue.

Called by `trimtab plan`. Programs get the same columns in every row, people the moves in sum, by
member and by queue, and above them all that is to be known beside.
"""

from collections import Counter

from console.output import fields, fitting, line
from console.planning.plan import Plan
from console.views.sentences import queue_name

Row = dict[str, object]

PAIRS = ("from", "to", "queues")
MEMBERS = ("member", "before", "after", "gives", "takes")
QUEUES = ("queue", "from", "to", "why")


def head(plan: Plan) -> Row:
    """Describe a plan on one screen; the same fields for each."""
    return {
        "group": plan.group,
        "epoch": plan.epoch,
        "strategy": plan.strategy,
        "changes": [*plan.changes],
        "queues": plan.queues,
        "moves": len(plan.moves),
        "refused": plan.refused,
        "notes": [*plan.notes],
        "unknown": [*plan.unknown],
    }


def pairs(plan: Plan) -> list[Row]:
    """Sum the moves up by giver and taker, most first."""
    count = Counter((move.giver, move.taker) for move in plan.moves)
    ordered = sorted(count.items(), key=lambda it: (-it[1], it[0][0] or "", it[0][1] or ""))
    return [{"from": giver, "to": taker, "queues": queues} for (giver, taker), queues in ordered]


def members(plan: Plan) -> list[Row]:
    """Say how many queues each member is meant to have, before and after."""
    gives, takes = Counter(it.giver for it in plan.moves), Counter(it.taker for it in plan.moves)
    return [
        {
            "member": name,
            "before": plan.before.get(name),
            "after": plan.after.get(name),
            "gives": gives[name],
            "takes": takes[name],
        }
        for name in sorted(plan.before.keys() | plan.after.keys())
    ]


def queues(plan: Plan) -> list[Row]:
    """Describe each move."""
    return [
        {
            "queue": queue_name(move.queue),
            "from": move.giver,
            "to": move.taker,
            "why": move.why,
            "topic": move.queue.topic,
            "broker": move.queue.broker or None,
            "id": move.queue.id,
        }
        for move in plan.moves
    ]


def result(plan: Plan) -> Row:
    """Return all of it, for programs."""
    parts = {"pairs": pairs(plan), "members": members(plan), "moved": queues(plan)}
    return head(plan) | parts


def screen(plan: Plan) -> str:
    """Return all of it, for people."""
    told = head(plan)
    lists = {"changes": "change", "notes": "note", "unknown": "not known"}
    lines = {name: told[name] for name in ("group", "epoch", "strategy")}
    lines["moves"] = f"{len(plan.moves)} of {plan.queues} queues"
    said = [fields(lines)]
    for name, label in lists.items():
        said += [line(f"{label}: {it}") for it in told[name]]  # type: ignore[attr-defined]  # lists
    tables = [fitting(pairs(plan), *PAIRS), fitting(members(plan), *MEMBERS)]
    tables.append(fitting(queues(plan), *QUEUES))
    return "\n\n".join(["\n".join(said), *(tables if plan.moves else ())])
