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
from rebalance.groups.model.roster import Trait
from rebalance.spread import spread
from rebalance.stamp import Stamp

_NO_OPTIONS: Final = "{}"
"""A strategy that an operator chose for the group has none."""
_in_short: Final = lru_cache(maxsize=64)(spread)
"""Options may be long, and all groups have the same."""


def compare(draft: Draft, now: Stamp) -> None:
    """At a start, note what has changed."""
    before = Draft(draft.before, draft.general)
    if not before.population:
        return  # whoever comes changes it
    strategy, numbers = _strategy(before), _numbers(before)
    if not before.target.asked:
        draft.target.asked = _asked(before)
    if not (strategy or numbers):
        return
    detail = "; ".join(filter(None, [strategy, numbers]))
    cause = Cause(CauseKind.SETTINGS, draft.before.name, now.position, detail)
    if strategy or draft.outbox.changes:  # last, so that it is the step's cause
        draft.outbox.changes.append(cause)
    else:
        draft.outbox.touched, draft.outbox.other_cause = True, cause


def _strategy(before: Draft) -> str:
    """Say what is different; what an older release left is taken for what is in force."""
    roster, was, asked = before.membership.members.merged(), before.target.asked, _asked(before)
    if was in {"", asked} or len(roster) == len(roster.those(Trait.OWNS_NOTHING)):
        return ""  # without members that own, none decides
    name = was.rpartition(" ")[0]
    if name != asked.rpartition(" ")[0]:
        return f"the strategy was {name}"
    return "strategy_options or standing_heirs were different"


def _numbers(before: Draft) -> str:
    """Say what is different; what an older release left may be two numbers in one ring."""
    # A route may have been forgotten since, while nothing was decided.
    told, routes = before.before.outbox.share_numbers, before.topics.routes.merged()
    known = {topic: number for topic, number in told.items() if topic in routes}
    if known == commons.share_numbers(before):
        return ""
    return f"share numbers were {'different' if before.target.asked else 'not known'}"


def note(draft: Draft) -> None:
    """Keep which strategy is to be asked, now that the group has changed."""
    if draft.outbox.changes:
        draft.target.asked = _asked(draft)


def _asked(draft: Draft) -> str:
    """Return the strategy's name, and what it is and is not told in short."""
    own, policy = draft.rules.strategy, draft.general
    options = policy.strategy_options if own is None else _NO_OPTIONS
    return f"{own or policy.strategy} {_in_short(options, policy.standing_heirs):x}"
