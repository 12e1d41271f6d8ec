"""The stored form of causes.

Their kinds are stored by number, so that a word may change. Part of ``group``.
"""

from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.ids import Position, TopicName
from streaming.cell.stored.form import Form

_KINDS: Final = {
    1: CauseKind.JOIN,
    2: CauseKind.REJOIN,
    3: CauseKind.SUBSCRIPTION,
    4: CauseKind.DRAIN,
    5: CauseKind.LEAVE,
    6: CauseKind.EXPIRY,
    7: CauseKind.FENCE,
    8: CauseKind.ROUTE,
    9: CauseKind.COMMAND,
    10: CauseKind.CLAIM,
    11: CauseKind.REST,
    12: CauseKind.ADOPTION,
    13: CauseKind.AILMENT,
    14: CauseKind.SETTINGS,
}
_NUMBERS: Final = {kind: number for number, kind in _KINDS.items()}


class CauseForm(Form):
    """A cause and its place in the log."""

    kind: int
    subject: str
    topic: TopicName
    partition: int
    offset: int
    detail: str


def cause_form(cause: Cause) -> CauseForm:
    """Return what is stored of a cause."""
    at = cause.position
    return CauseForm(
        _NUMBERS[cause.kind], cause.subject, at.topic, at.partition, at.offset, cause.detail
    )


def cause(form: CauseForm) -> Cause:
    """Return the cause that was stored."""
    return Cause(
        kind=_KINDS[form.kind],
        subject=form.subject,
        position=Position(topic=form.topic, partition=form.partition, offset=form.offset),
        detail=form.detail,
    )
