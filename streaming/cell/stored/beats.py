"""The stored form of what every beat changes: the pulses, and who may not have been told.

It is written in each batch in which somebody beats, so it is in columns: a few bytes for a member,
and no names. Stored apart from the rest of the group, by ``packed``.
"""

from collections.abc import Mapping

from rebalance.groups.model.member import Pulse, Unread
from rebalance.ids import Epoch, MemberId, Millis
from streaming.cell.stored.form import Form, Place


class UnreadForm(Form):
    """A record that its member has not read yet."""

    epoch: Epoch
    since: Millis | None
    times: int


class BeatsForm(Form):
    """A column for each field, in the order of the group's members."""

    seen: list[Millis]
    sequences: list[int]
    unread: dict[Place, UnreadForm]
    """By place in the columns: most have none."""
    unposted: tuple[MemberId, ...]
    names: list[MemberId] | None
    """None: those of the group's members."""


def beats_form(
    pulses: Mapping[MemberId, Pulse], unposted: tuple[MemberId, ...], members: list[MemberId]
) -> BeatsForm:
    """Return what is stored of the pulses."""
    names, each = list(pulses), pulses.values()
    return BeatsForm(
        [it.seen for it in each],
        [it.sequence for it in each],
        {
            place: UnreadForm(it.unread.epoch, it.unread.since, it.unread.times)
            for place, it in enumerate(each)
            if it.unread is not None
        },
        unposted,
        None if names == members else names,
    )


def pulses(form: BeatsForm, members: list[MemberId]) -> dict[MemberId, Pulse]:
    """Return the pulses that were stored."""
    names = members if form.names is None else form.names
    found = {
        name: Pulse(seen, sequence)
        for name, seen, sequence in zip(names, form.seen, form.sequences, strict=True)
    }
    for place, it in form.unread.items():
        pulse = found[names[place]]
        unread = Unread(epoch=it.epoch, since=it.since, times=it.times)
        found[names[place]] = Pulse(seen=pulse.seen, sequence=pulse.sequence, unread=unread)
    return found
