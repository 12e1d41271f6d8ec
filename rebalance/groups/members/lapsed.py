"""Lapsed members: they joined in a past that is read again, and were removed since.

A join stays in the log for days, and beats are not read again. So the past says who came, and not
who died. A member with no published record was removed, or still waits for its answer. One that
waits asks again and again, so its last word is younger than a session.

Asked by ``adoption``. Its one rule: a member that may wait for its first answer is none of them.
"""

from collections.abc import Collection, Iterator, Sequence

from rebalance.groups.members.own_names import told_apart
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import NOT_APPLIED, Moment, Released
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp


def lapsed(
    draft: Draft,
    recorded: Collection[MemberId],
    past: Sequence[Moment],
    decided: Millis | None,
    now: Stamp,
) -> Iterator[MemberId]:
    """Return those members.

    Args:
        draft: The group, when its past was folded.
        recorded: Of whom something is published.
        past: What happened until then.
        decided: When the last of what is published was decided.
        now: The end of the batch.
    """
    spoke = _last_words(draft, past)
    for name, member in draft.membership.members.merged().items():
        if name in recorded:
            continue
        silence = draft.policy.silence_ms(member.session_timeout_ms)
        if name not in spoke:  # it is remembered from before
            pulse = draft.membership.pulses.get(name)
            if pulse is not None and now.heard - pulse.seen > silence:
                yield name
        elif decided is not None and decided - spoke[name] > silence:
            yield name


def _last_words(draft: Draft, past: Sequence[Moment]) -> dict[str, Millis]:
    """Return when each member said something last, as far as it was read again."""
    spoke = dict[str, Millis]()
    for event in past:
        if isinstance(event, NOT_APPLIED):
            continue
        told = told_apart(draft, event)
        if not (isinstance(told, Released) and not told.own):  # else it was said for a dead one
            spoke[getattr(told, "member", "")] = told.stamp.appended
    return spoke
