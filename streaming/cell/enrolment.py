"""Enrolment: after a step, the members whose next beats can be counted, with their fingerprints.

A fingerprint is learned from a beat that was decoded. That was a short one, and with another number
it would say the same but for the number: the value may be garbage that makes sense only once.

Called by ``fold`` after each step. Whoever is enrolled is a member of a quiet group
(``rebalance.groups.quiet``), in the very life that has sent the beat.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rebalance.groups import quiet
from rebalance.groups.members.own_names import told_apart
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen
from rebalance.groups.model.member import Pulse
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, Life, MemberId, Millis
from streaming.cell.hearing import CellRules, Heard
from streaming.cell.pulses import NAMES_NOTHING, NEVER, NOBODY, Known, Taken
from streaming.wire.beats import with_number
from streaming.wire.decoding import Decoder, OfGroup
from streaming.wire.rows import Row
from trimtab.protocol import limits


def enrolled(
    state: GroupState, taken: Taken, heard: Heard, rules: CellRules, *, is_same: bool
) -> Taken:
    """Return who of a group that has been stepped stands in the columns from now on.

    Args:
        state: The group after the step.
        taken: Who stood there before.
        heard: What was said in this batch.
        rules: How a beat is decoded.
        is_same: The step has changed pulses only.
    """
    learned = _learned(state, heard, rules)
    if not (learned or taken.known):
        return NOBODY
    if is_same and not learned and _stays(state, taken, heard):
        return taken
    sessions, members = quiet.sessions(state, rules.policy), state.membership.members
    if not sessions:
        return NOBODY
    staying = {
        name: it._replace(session=sessions[name])
        for name, it in _calm(state, {**taken.known, **learned}, rules)
        if name in sessions and members[name].incarnation == it.incarnation
    }
    return Taken(staying, quiet.due_without(state, rules.policy, staying)) if staying else NOBODY


def _calm(
    state: GroupState, known: Mapping[MemberId, Known], rules: CellRules
) -> Iterator[tuple[MemberId, Known]]:
    """Leave out whose beats may show that its record was read, and say when others ask for it."""
    unread = quiet.unread_by(state, rules.policy)
    for name, it in known.items():
        if it.asks == NAMES_NOTHING:
            yield name, it
        elif name not in unread:
            yield name, it._replace(asks=NEVER)
        elif it.asks != NEVER:  # its beats name an older epoch
            yield name, it._replace(asks=unread[name])


def _stays(state: GroupState, taken: Taken, heard: Heard) -> bool:
    """Tell whether a group that is the same is still as quiet as before, and nothing was due."""
    due = taken.until is not None and taken.until <= heard.clock.now
    return state.is_out and not (heard.begins or due or state.membership.suspected)


def _learned(state: GroupState, heard: Heard, rules: CellRules) -> dict[MemberId, Known]:
    """Return what fingerprints the last short beats of a group's members have."""
    last = dict[Life, BeatSeen]()
    for _, event in heard.events.get(state.name, ()) if heard.fingerprints else ():
        if isinstance(event, BeatSeen) and event.stamp.position.offset in heard.fingerprints:
            last[event.life] = event
    found = dict[MemberId, Known]()
    group = Draft(state, rules.policy) if last else None
    for event in last.values():
        row = heard.originals[event.stamp.position]
        if group is not None and _says_one_thing(event, row, rules.decoder):
            told = told_apart(group, event)
            assert isinstance(told, BeatSeen), "it stays what it is"
            member, incarnation = told.life
            asks = _asks(event.epoch, state.membership.pulses.get(member))
            print_ = heard.fingerprints[row.offset]
            found[member] = Known(print_, incarnation, Millis(0), asks)
    return found


def _asks(epoch: Epoch, pulse: Pulse | None) -> Millis:
    """Tell of a beat that names this epoch whether it asks for a record: never, or some time.

    When that is, ``_calm`` says.
    """
    if epoch == 0:
        return NAMES_NOTHING
    is_old = pulse is not None and pulse.unread is not None and epoch < pulse.unread.epoch
    return Millis(0) if is_old else NEVER


def _says_one_thing(event: BeatSeen, row: Row, decoder: Decoder) -> bool:
    """Tell whether a beat of the same fingerprint says the same, but for the number."""
    if event.owned is not None or row.value is None:
        return False
    number = event.sequence + (1 if event.sequence < limits.SAFE_INTEGER else -1)
    other = with_number(row.value, number)
    read = decoder.read(row._replace(value=other, size=len(other)), event.stamp)
    return isinstance(read, OfGroup) and read.event == replace(event, sequence=number)
