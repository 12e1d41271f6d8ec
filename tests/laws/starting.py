"""Starting: what a small controller reads when it begins, as the events of one batch.

It has its memory, or the log from the beginning; it finds what is published; and it knows the
target that is wished for by now.

Used by ``real_controller``.
"""

from collections.abc import Iterator
from dataclasses import replace

from rebalance.groups.model.events import (
    Adopted,
    Advanced,
    Begun,
    Inheritance,
    Moment,
    Portion,
)
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, GroupName, Millis, Naming, Tenure
from tests.laws import views
from tests.laws.events import PILOT, Cast, stamp
from tests.laws.messages import Input, Rejoined, Resized, Started, Wish, Wished
from tests.laws.older import Memory
from tests.laws.views import Record
from tests.laws.wishes import encoded

UNKNOWN = GroupState(GroupName("g"))
START = "1"
"""What each start is called: none is told of two."""


def before(state: GroupState, started: Started) -> GroupState:
    """Return what a controller that starts remembers; all of its last step is published."""
    if started.memory is Memory.NOTHING:
        return UNKNOWN
    return replace(state, outbox=replace(state.outbox, unposted=()))


def reached(cast: Cast, state: GroupState, message: Input) -> int:
    """Return above which epoch a controller decides when it has heard something."""
    if not isinstance(message, Started):
        return state.epoch
    epoch, records, _ = message.published
    highest = max([epoch, *_epochs(message)])
    there = {cast.life((it, one.life)) for it, one in enumerate(records) if one is not None}
    members = {it.life(name) for name, it in state.membership.members.items() if name != PILOT}
    is_known = highest <= state.epoch and members <= there
    return state.epoch if is_known else max(highest, state.epoch) + 1  # one is left out


def _epochs(started: Started) -> Iterator[int]:
    yield from (each.epoch for each in started.published.records if each is not None)


def moments(cast: Cast, state: GroupState, started: Started, policy: Policy) -> list[Moment]:
    """Return what is in its first batch."""
    words = first_words(cast, started.wish) if state is UNKNOWN else []
    past = [cast.event(state, each) for each in (*words, *started.published.past)]
    found = [*_found(cast, started, policy), *_of_the_pilot(state, started, policy)]
    return [*past, *found, *_wished(cast, state, started), Begun(stamp())]


def first_words(cast: Cast, wish: Wish, *, eager: int = 0) -> list[Input]:
    """Return what is in the log before all else: everybody joins, and the queues are seen."""
    joins = (Rejoined(member, 1, member, member < eager) for member in range(cast.slots))
    return [Wished(wish), *joins, Resized(len(cast.queues))]


def _wished(cast: Cast, state: GroupState, started: Started) -> Iterator[Moment]:
    """The wish is news, unless it is remembered."""
    code = encoded(started.wish, cast.slots)
    if state is not UNKNOWN and state.membership.members[PILOT].weight != code:
        yield cast.event(state, Wished(started.wish))


def _found(cast: Cast, started: Started, policy: Policy) -> Iterator[Moment]:
    epoch, records, _ = started.published
    yield Advanced(stamp(), START, Epoch(epoch), decided=Millis(0))
    for member, record in enumerate(records):
        if record is not None:
            yield Adopted(
                stamp(),
                cast.life((member, record.life)),
                START,
                Epoch(record.epoch),
                _portion(cast, record),
                policy.session_ms(None),
                policy.revocation_ms(None),
            )


def _of_the_pilot(state: GroupState, started: Started, policy: Policy) -> Iterator[Moment]:
    """Its record is there as well; where that is adopted, the pilot counts as one that joins."""
    pilot, epoch = state.membership.members.get(PILOT), started.published.epoch
    if pilot is not None and max([epoch, *_epochs(started)]) <= state.epoch:
        patience = policy.session_ms(None), policy.revocation_ms(None)
        yield Adopted(stamp(), pilot.life(PILOT), START, Epoch(epoch), Portion(), *patience)


def _portion(cast: Cast, record: Record) -> Portion:
    return Portion(
        hold=tuple(_naming(cast, naming) for naming in record.hold),
        give=tuple(_naming(cast, naming) for naming in record.give),
        inherit=tuple(_inherited(cast, line) for line in record.inherit),
    )


def _naming(cast: Cast, naming: views.Naming) -> Naming:
    queue, epoch, following, to = naming
    comes = Epoch(following) if following else None
    return Naming(cast.queues[queue], Epoch(epoch), comes, None if to is None else cast.life(to))


def _inherited(cast: Cast, line: views.Inherit) -> Inheritance:
    source = line.source
    tenure = Tenure(cast.life((source.member, source.life)), Epoch(source.epoch))
    return Inheritance(cast.queues[line.queue], Epoch(line.epoch), tenure)
