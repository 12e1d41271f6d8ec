"""Undoing: the command that takes back what a command has done, as it would be typed.

Made from how the group or the broker was before. Some commands cannot be taken back: an eviction,
an approval, what was forgotten, or what the detectors held against a broker.
"""

import re
from collections.abc import Mapping, Sequence

from console.views.moments import said
from console.views.typed import quoted, typed
from trimtab.protocol import Group, Verdict

_REASON = '--reason "as before"'
_COMMAND = re.compile(r"(?:^|`)trimtab (?:check|\w+ [a-z-]+)(?=[ `])")
"""One that is asked of a cluster: a whole text, or in backquotes in one."""


def of_group(  # noqa: PLR0911 - one case for each verb
    verb: str, before: Group, said: Mapping[str, object]
) -> str | None:
    """Return what undoes a command to a group."""
    match verb:
        case "pause" if not before.paused:
            return _typed("groups resume", [before.group])
        case "resume" if before.paused:
            return _pause(before)
        case "pause" if said.get("until_ms") != before.paused_until_ms:
            return _pause(before)
        case "drain" | "undrain" if not _is_so(before, verb, str(said["member"])):
            other = "undrain" if verb == "drain" else "drain"
            return _typed(f"groups {other}", [before.group, str(said["member"])])
        case "strategy":
            # Not the one in force: that may be the controller's, and may change with it.
            own = [] if before.own_strategy is None else [before.own_strategy]
            return _typed("groups strategy", [before.group, *own])
        case "mode" if said["mode"] == "pop" and not _is_popped(before, str(said["topic"])):
            return _typed("groups mode", [before.group, str(said["topic"]), "pull"])
        case "policy":
            return _typed("groups policy", [before.group, *_rules(before)])
        case _:
            return None


def of_move(group: str, side: str, before: str | None) -> str | None:
    """Return what takes back the choice of a side; without an earlier one Kafka's is the same."""
    earlier = before or "kafka"
    return None if earlier == side else _typed("groups move", [group, earlier])


def with_options(text: str | None, options: str) -> str | None:
    """Put options behind the words of each command: behind a name they might be names, too."""
    if text is None or not options:
        return text
    return _COMMAND.sub(lambda it: f"{it[0]} {options}", text)


def _pause(before: Group) -> str:
    """Write the pause that stood."""
    return _typed("groups pause", [before.group], _until(before.paused_until_ms))


def _typed(command: str, names: Sequence[str], *options: str) -> str:
    return typed(command, *names, options=" ".join(filter(None, (*options, _REASON))))


def _is_so(before: Group, verb: str, member: str) -> bool:
    """Tell whether a member was known to be as the command wants it; a summary names only some."""
    draining = {it.member: it.draining for it in before.people}
    return draining.get(member) is (verb == "drain")


def _is_popped(before: Group, topic: str) -> bool:
    return topic in before.topics and before.topics[topic].popped is True


def of_broker(
    verb: str, cluster: str, broker: str, before: Verdict | None, now_ms: int, *, lasts: bool
) -> str | None:
    """Return what undoes a command about a broker, of which this was the verdict.

    One that ``lasts`` stands from then on, which a restore without an end does not.
    """
    where = f"--cluster {quoted(cluster)}"
    if verb not in {"eject", "restore"}:
        return None
    if before is not None and _is_commanded(before, now_ms):
        earlier = "restore" if before.available else "eject"
        return _typed(f"brokers {earlier}", [broker], where, _until(before.until_ms))
    return _typed("brokers restore", [broker], where) if lasts else None


def _is_commanded(verdict: Verdict, now_ms: int) -> bool:
    """Tell whether an operator's command stands; none does what detectors do.

    A restore without an end stands no longer than it is done: what is in use without one is a
    broker whose ejection a limit has spared.
    """
    if verdict.detector != "operator":
        return False
    if verdict.until_ms is None:
        return not verdict.available
    return verdict.until_ms > now_ms


def _until(until_ms: int | None) -> str:
    """Write until when, for what ends by itself: it ends then, however late it is typed."""
    return "" if until_ms is None else f"--until {said(until_ms)}"


def _rules(before: Group) -> list[str]:
    """Write a group's own policy as `groups policy` takes it."""
    own = {} if before.overrides is None else before.overrides.model_dump(exclude_none=True)
    return [
        f"{key.replace('_ms', '')}={f'{value}ms' if '_ms' in key else value}"
        for key, value in own.items()
    ]
