"""The baton: how a queue passes from its holder to its heir, with no overlap and a short wait.

The controller tells both in the same batch: the holder "let go, and name this grant", the heir "it
is yours once a release of that grant names you". The heir starts when it reads the release in the
log, and does not wait for the controller. So the queue has no worker for one trip through Kafka,
and not for two heartbeats. The danger is a third member: if the controller changes its mind, an
earlier heir may already be working. Hence the rule that makes it safe: *the first release of a
grant in the log names the one grant that comes next*. Everybody reads the same first one, so the
controller may promise a queue to several, and change its mind without waiting for anybody.

Every hold and every promise has an epoch of its own. A release counts only for the exact queue,
member, incarnation and epoch, and no member works again under an epoch that was released. A holder
that was told to let go is never told to hold on, because it may have let go already, and would
never ask again (C7).

``endings`` says how a grant ends. Then ``step`` uses ``call_back``, for the queues of a topic that
is made anew, and ``settle``, which moves each queue one step towards the target.
``tests/laws/test_baton.py`` explores this very code, in every order of events.

Its one rule: nobody but the heir that is named may begin.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rebalance.groups.handover import endings, passing
from rebalance.groups.model.decisions import Freed
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.extent import ALWAYS_FIT
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.groups.model.subscriptions import may_own
from rebalance.ids import Life, MemberId, Naming, Queue, TopicName
from rebalance.stamp import Stamp

MOST_HEIRS: Final = 4
"""A queue at rest is promised to no more: its holder's next full beat ends all promises but one."""


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    loads: Mapping[MemberId, int] | None = None
    """How many queues the target means for each, once asked for."""
    excess: dict[MemberId, int] = field(default_factory=dict)
    """How much more each has than it can carry, of those of whom more is meant than that."""


def call_back(draft: Draft, stamp: Stamp) -> None:
    """Have the queues of topics that were made anew let go: every position in them is void.

    So is every promise, because an heir begins where its holder ended.
    """
    if not draft.topics.recreated:
        return
    asked = Asked(draft.next_epoch, stamp.heard)
    for queue, owned in draft.handover.books.items():
        if queue.topic in draft.topics.recreated:
            draft.handover.books.put(queue, replace(owned, asked=asked, named=None))


def settle(draft: Draft, stamp: Stamp) -> None:
    """Move each queue one step towards the member the target names for it."""
    asked, promises = Asked(draft.next_epoch, stamp.heard), _Promises(draft)
    loose, kept, vacant = list[Queue](), Counter[MemberId](), endings.vacancies(draft)
    for queue in _unsettled(draft):
        endings.take_one(draft, queue, stamp)
        owned, meant = draft.handover.books.get(queue), draft.target.owners.get(queue)
        wanted = promises.next(queue, owned, meant)
        if wanted is None and meant is not None:
            loose.append(queue)
            if _may_keep(draft, owned, queue.topic, kept):
                continue
        page = next_page(owned, wanted, asked, promises.heir(queue, owned))
        if page is None or page == owned:
            continue
        draft.handover.books.put(queue, page)
        if owned is None:
            if queue in vacant:
                passing.pass_on(draft, queue, vacant[queue], page.holder, stamp.heard)
            if queue in draft.target.heirs:
                loose.append(queue)  # the epoch of its heir must be a later one
        endings.take_one(draft, queue, stamp)
    draft.handover.loose = loose
    write_releases(draft)


class _Promises:
    """What members may be promised in this step: alike for all queues of a topic."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._known: dict[tuple[MemberId, TopicName], Grant | None] = {}

    def next(self, queue: Queue, owned: Ownership | None, meant: MemberId | None) -> Grant | None:
        """Return what the target's member may be promised, if it will read the first release."""
        wanted = self._of(meant, queue.topic)
        if owned is None or wanted is None or wanted.life == owned.holder.life:
            return wanted
        if _is_void(owned, wanted.life):
            return None
        return None if self._draft.membership.members[wanted.member].awaits_mark else wanted

    def heir(self, queue: Queue, owned: Ownership | None) -> Grant | None:
        """Return what the standing heir may be promised; an eager holder needs none."""
        if owned is None or endings.is_eager(self._draft, owned.holder):
            return None
        return self._of(self._draft.target.heirs.get(queue), queue.topic)

    def _of(self, name: MemberId | None, topic: TopicName) -> Grant | None:
        if name is None:
            return None
        if (name, topic) not in self._known:
            self._known[name, topic] = _promise(self._draft, name, topic)
        return self._known[name, topic]


def _is_void(owned: Ownership, life: Life) -> bool:
    """Tell whether a life's promise is older than the word to the holder to name nobody.

    The topic may have been made anew with that word (``call_back``).
    """
    if owned.asked is None or owned.named is not None:
        return False
    return any(heir.life == life and heir.epoch < owned.asked.epoch for heir in owned.heirs)


def write_releases(draft: Draft) -> None:
    """Say for holders that are done who comes next; what counts is what is read of it."""
    namings = defaultdict[Life, list[Naming]](list)
    for queue in sorted(draft.handover.over):
        owned = draft.handover.books.get(queue)
        if owned is not None and owned.ending is not None:
            namings[owned.holder.life].append(Naming(queue, owned.holder.epoch, owned.named))
    draft.outbox.notes += [
        Freed(draft.before.name, life, tuple(those[at : at + ALWAYS_FIT]))
        for life, those in sorted(namings.items())
        for at in range(0, len(those), ALWAYS_FIT)
    ]


def _may_keep(
    draft: Draft, owned: Ownership | None, topic: TopicName, kept: Counter[MemberId]
) -> bool:
    """Tell whether a queue stays where it is until its member in the target can be promised it."""
    if owned is None or owned.asked is not None:
        return False
    name = owned.holder.member
    holder = draft.membership.members.get(name)
    if holder is None or holder.incarnation != owned.holder.incarnation:
        return False
    if not holder.owns or not may_own(holder, topic):
        return False
    if holder.capacity is None:
        return True
    if _is_too_much(draft, name, holder):
        return _carries(draft, name, holder.capacity)
    return _has_room(draft, name, holder.capacity, kept)


def _carries(draft: Draft, name: MemberId, capacity: int) -> bool:
    """Tell whether a member that can carry less than is meant for it can keep this one, too.

    It gives up what it has beyond its capacity, and no more.
    """
    excess = draft.scratch(_Step).excess
    if name not in excess:
        books = draft.handover.books
        owned = [books[queue] for queue in books.concerning({name})]
        rests = [it for it in owned if it.holder.member == name and not it.moves]
        excess[name] = len(rests) - capacity
    excess[name] -= 1
    return excess[name] < 0


def _has_room(draft: Draft, name: MemberId, capacity: int, kept: Counter[MemberId]) -> bool:
    """Tell whether a member can carry one more beside its own share and what it keeps already."""
    kept[name] += 1
    return _loads(draft)[name] + kept[name] <= capacity


def _unsettled(draft: Draft) -> list[Queue]:
    """Return, in order, the queues worth looking at; the others are where they should be.

    An operator who asks for a rebalance doubts that, and has each of them looked at.
    """
    if draft.target.urgent:
        return sorted({*draft.handover.books.merged(), *draft.target.owners})
    queues = {*draft.handover.books.written, *draft.target.aimed, *draft.before.handover.loose}
    queues.update(draft.target.renamed, draft.target.redealt)
    queues.update(draft.handover.books.concerning(draft.membership.members.written.keys()))
    return sorted(queues)


def _promise(draft: Draft, name: MemberId, topic: TopicName) -> Grant | None:
    """Return what a member may be promised; the target may be older than its wishes."""
    member = draft.membership.members.get(name)
    if member is None or member.away or draft.topics.routes.get(topic) is None:
        return None
    if not may_own(member, topic) or not member.owns or _is_too_much(draft, name, member):
        return None
    return Grant(member.life(name), draft.next_epoch)


def _is_too_much(draft: Draft, name: MemberId, member: Member) -> bool:
    """Tell whether the target was made when a member could carry more."""
    if member.capacity is None or draft.target.is_new:
        return False
    return _loads(draft)[name] > member.capacity


def _loads(draft: Draft) -> Mapping[MemberId, int]:
    """Return how many queues are meant for each; counted once a step, when the target is made."""
    step = draft.scratch(_Step)
    if step.loads is None:
        step.loads = Counter(draft.target.owners.values())
    return step.loads


def next_page(
    owned: Ownership | None, wanted: Grant | None, asked: Asked, standing: Grant | None = None
) -> Ownership | None:
    """One queue's next page in the books. This function is the whole protocol."""
    if owned is None:
        return None if wanted is None else Ownership(wanted)
    stays = wanted is not None and wanted.life == owned.holder.life
    if stays and owned.asked is None:
        return _at_rest(owned, standing)
    if wanted is None or stays:
        return replace(_told(owned, asked), named=None)  # its release will bring it a new grant
    return _naming(_told(owned, asked), wanted)


def _at_rest(owned: Ownership, standing: Grant | None) -> Ownership:
    """Name the standing heir, if there is room for one more promise."""
    promised = {heir.life for heir in owned.heirs}
    room = MOST_HEIRS - len(promised) - len(owned.former)
    if standing is None or (standing.life not in promised and room <= 0):
        return owned if owned.named is None else replace(owned, named=None)
    return _naming(owned, standing)


def _naming(owned: Ownership, wanted: Grant) -> Ownership:
    """Name an heir; one that was promised the queue before keeps its epoch."""
    promised = next((heir for heir in owned.heirs if heir.life == wanted.life), None)
    if promised is None:
        owned, promised = replace(owned, heirs=(*owned.heirs, wanted)), wanted
    return owned if owned.named == promised.epoch else replace(owned, named=promised.epoch)


def _told(owned: Ownership, asked: Asked) -> Ownership:
    return owned if owned.asked is not None else replace(owned, asked=asked)
