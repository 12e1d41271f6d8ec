"""What is in force: the settings that a group's decisions were made with.

A controller may be started with another strategy, other options or other share numbers than its
predecessor had. The log does not say so, and a group at rest would keep what the old ones decided
until something else moves it, and that would be named as the cause. So the state keeps what was in
force, and at each start that is compared with what is. If it differs, the group has changed: the
strategy is asked again, or members are told what else they draw from.

Called by ``step``. Its one rule: under the same settings a start changes nothing.
"""

from functools import lru_cache
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups import commons
from rebalance.groups.model.draft import Draft
from rebalance.stamp import Stamp

_NO_OPTIONS: Final = "{}"
"""A strategy that an operator chose for the group has none."""
_PRIME: Final = 2**64 - 59
"""Two tables of options leave different remainders."""


def compare(draft: Draft, now: Stamp) -> None:
    """At a start, note what has changed; an older release did not keep which strategy was asked."""
    before = Draft(draft.before, draft.general)
    if not before.population:
        return  # whoever comes changes it
    was, asked = before.target.asked, _asked(before)
    if not was:
        draft.target.asked = asked
    elif was != asked:
        draft.outbox.changes.append(_cause(draft, now, _difference(was, asked)))
    if draft.before.outbox.share_numbers != commons.share_numbers(before):
        draft.outbox.touched = True
        draft.outbox.other_cause = _cause(draft, now, "share numbers were different")


def note(draft: Draft) -> None:
    """Keep which strategy is to be asked, now that the group has changed."""
    if draft.outbox.changes:
        draft.target.asked = _asked(draft)


def _asked(draft: Draft) -> str:
    """Return the strategy's name, and what it is and is not told in short."""
    own, policy = draft.rules.strategy, draft.general
    options = policy.strategy_options if own is None else _NO_OPTIONS
    told = f"{options} {policy.standing_heirs}"
    return f"{own or policy.strategy} {_remainder(told):x}"


@lru_cache(maxsize=64)
def _remainder(text: str) -> int:
    return int.from_bytes(text.encode("utf-8", "surrogatepass")) % _PRIME


def _difference(was: str, asked: str) -> str:
    name = was.rpartition(" ")[0]
    if name != asked.rpartition(" ")[0]:
        return f"the strategy was {name}"
    return "strategy_options or standing_heirs were different"


def _cause(draft: Draft, now: Stamp, detail: str) -> Cause:
    return Cause(CauseKind.SETTINGS, draft.before.name, now.position, detail)
