"""The stored form of what operators have commanded of a group.

Most groups have no settings of their own; nothing is stored of those. Part of ``group``.
"""

from typing import Final

from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.groups.model.policy import Compat, TwinRule
from rebalance.groups.model.rules import Rules
from rebalance.ids import Life, Millis, TopicName
from streaming.cell.stored.form import Form

_HABITS: Final = {1: Compat.NONE, 2: Compat.ROCKETMQ}
_RULES: Final = {
    1: TwinRule.FENCE_OLDER,
    2: TwinRule.REFUSE_NEWER,
    3: TwinRule.SEPARATE,
    4: TwinRule.HAND_OVER,
}
_NUMBERS: Final = {
    member: number for numbers in (_HABITS, _RULES) for number, member in numbers.items()
}


class OverridesForm(Form):
    """None: it is the controller's."""

    session_timeout_ms: Millis | None
    session_timeout_ms_min: Millis | None
    session_timeout_ms_max: Millis | None
    heartbeat_interval_ms: Millis | None
    revocation_timeout_ms: Millis | None
    revocation_timeout_ms_max: Millis | None
    eager_grace_ms: Millis | None
    compat: int | None
    share_number: int | None
    on_twin: int | None
    on_twin_instance: int | None
    assignment_interval_ms: Millis | None
    blast_percent: int | None
    blast_members: int | None
    blast_hold_ms: Millis | None
    flap_half_life_ms: Millis | None
    flap_limit: int | None
    route_damping_ms: Millis | None
    route_share_percent: int | None


class RulesForm(Form):
    """What operators have commanded."""

    paused: bool
    paused_until: Millis | None
    strategy: str | None
    overrides: OverridesForm | None
    """None: all are the controller's."""
    obeyed: tuple[str, ...]
    pause_ends: Millis | None = None
    pace_ms: Millis = Millis(0)
    popped: dict[TopicName, int | None] | None = None
    """None: no topic."""
    drained: tuple[Life, ...] = ()


def rules_form(rules: Rules) -> RulesForm:
    """Return what is stored of the rules."""
    return RulesForm(
        paused=rules.paused,
        paused_until=rules.paused_until,
        strategy=rules.strategy,
        overrides=None if rules.overrides == NONE else _overrides_form(rules.overrides),
        obeyed=rules.obeyed,
        pause_ends=rules.pause_ends,
        pace_ms=rules.pace_ms,
        popped=dict(rules.popped) or None,
        drained=rules.drained,
    )


def rules(form: RulesForm) -> Rules:
    """Return the rules that were stored."""
    return Rules(
        paused=form.paused,
        paused_until=form.paused_until,
        strategy=form.strategy,
        overrides=NONE if form.overrides is None else _overrides(form.overrides),
        obeyed=form.obeyed,
        pause_ends=form.pause_ends,
        pace_ms=form.pace_ms,
        popped=form.popped or {},
        drained=form.drained,
    )


def _overrides_form(own: Overrides) -> OverridesForm:
    return OverridesForm(
        session_timeout_ms=own.session_timeout_ms,
        session_timeout_ms_min=own.session_timeout_ms_min,
        session_timeout_ms_max=own.session_timeout_ms_max,
        heartbeat_interval_ms=own.heartbeat_interval_ms,
        revocation_timeout_ms=own.revocation_timeout_ms,
        revocation_timeout_ms_max=own.revocation_timeout_ms_max,
        eager_grace_ms=own.eager_grace_ms,
        compat=None if own.compat is None else _NUMBERS[own.compat],
        share_number=own.share_number,
        on_twin=None if own.on_twin is None else _NUMBERS[own.on_twin],
        on_twin_instance=None if own.on_twin_instance is None else _NUMBERS[own.on_twin_instance],
        assignment_interval_ms=own.assignment_interval_ms,
        blast_percent=own.blast_percent,
        blast_members=own.blast_members,
        blast_hold_ms=own.blast_hold_ms,
        flap_half_life_ms=own.flap_half_life_ms,
        flap_limit=own.flap_limit,
        route_damping_ms=own.route_damping_ms,
        route_share_percent=own.route_share_percent,
    )


def _overrides(form: OverridesForm) -> Overrides:
    return Overrides(
        session_timeout_ms=form.session_timeout_ms,
        session_timeout_ms_min=form.session_timeout_ms_min,
        session_timeout_ms_max=form.session_timeout_ms_max,
        heartbeat_interval_ms=form.heartbeat_interval_ms,
        revocation_timeout_ms=form.revocation_timeout_ms,
        revocation_timeout_ms_max=form.revocation_timeout_ms_max,
        eager_grace_ms=form.eager_grace_ms,
        compat=None if form.compat is None else _HABITS[form.compat],
        share_number=form.share_number,
        on_twin=None if form.on_twin is None else _RULES[form.on_twin],
        on_twin_instance=None if form.on_twin_instance is None else _RULES[form.on_twin_instance],
        assignment_interval_ms=form.assignment_interval_ms,
        blast_percent=form.blast_percent,
        blast_members=form.blast_members,
        blast_hold_ms=form.blast_hold_ms,
        flap_half_life_ms=form.flap_half_life_ms,
        flap_limit=form.flap_limit,
        route_damping_ms=form.route_damping_ms,
        route_share_percent=form.route_share_percent,
    )
