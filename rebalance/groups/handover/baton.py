"""The baton: how a queue passes from its holder to its heir without a gap and without an overlap.

The controller tells both in the same batch: the holder "let go", the heir "it is yours once that is
released". The heir starts when it reads the release in the log, and does not wait for the
controller. So nobody works on the queue for one trip through Kafka, not for two heartbeats. The
danger is a third member: if the controller changes its mind, the heir may already be working. Hence
the rule that makes it safe: *an heir that was told is a possible owner*. It is replaced only after
it has let go itself (at once, when it never started) or is fenced.

Every hold and every promise has an epoch of its own. A release counts only for the exact queue,
member, incarnation and epoch, and no member works again under an epoch it has released. A grant
only moves forward, from inherit to hold to give: a member that was told to let go is never told to
hold on, because it may have let go already, and would never ask again (C7).

The operations on the books, called by ``step``: ``book`` (a release was read), ``repair`` (a beat
proves one, or claims too much), ``fence`` (lives ended), ``recall`` (a topic was made anew),
``settle`` (move towards the target); and, by ``timers``, ``take`` (an eager holder had its time).
``tests/laws/test_baton.py`` explores this very code, in every order of events.

Its one rule: per queue at most one holder and one heir, and nobody else may start on it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rebalance.causes import Cause, CauseKind
from rebalance.errors import BrokenInvariant
from rebalance.groups.handover import claims, notice
from rebalance.groups.handover.claims import granted
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft, Passage, Vacancy
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.groups.model.subscriptions import wants
from rebalance.ids import Epoch, Life, MemberId, Millis, Queue, Tenure, TopicName
from rebalance.stamp import Stamp

_CARRIED_OUT = {Ending.RELEASED, Ending.TAKEN}
"""The holder did, or is taken to have done, what it was told."""


def book(draft: Draft, event: Released) -> None:
    """Enter a release: the heir becomes the holder under the epoch it was promised."""
    # Who has left wrote its releases before; they may be of one millisecond, and read after.
    left = draft.fenced.pop(event.life) if draft.fenced.get(event.life) is Ending.LEFT else None
    fence(draft, event.stamp)  # lives that ended earlier in the log come first
    for queue, epoch in event.grants:
        _let_go(draft, queue, event.life, epoch, event.stamp)
    if left is not None:
        draft.fenced[event.life] = left


def repair(draft: Draft, event: BeatSeen) -> None:
    """Take a beat for the releases it proves, in case one of them was lost (C7).

    The member has acted on a record that told it to give a queue, and no longer lists the queue
    among what it owns: then it has let go, whatever became of its release.
    """
    if event.owned is None:
        return
    fence(draft, event.stamp)
    owned = set(event.owned)
    claims.judge(draft, event)
    for queue, epoch, asked in _asked(draft).get(event.life, ()):
        if event.epoch >= asked and (queue, epoch) not in owned:
            _let_go(draft, queue, event.life, epoch, event.stamp)


def _asked(draft: Draft) -> Mapping[Life, Sequence[tuple[Queue, Epoch, Epoch]]]:
    """By life, what it was told to give: the queue, the grant's epoch and that of the telling.

    Made once a step, because after a first assignment everybody sends a full beat at once. That it
    may list what was let go meanwhile does no harm: letting go compares with the books.
    """
    if draft.asked is None:
        draft.asked = defaultdict(list)
        for queue in draft.ownership.moving():
            owned = draft.ownership[queue]
            for grant in owned.grants:
                if grant.asked is not None:
                    entry = (queue, grant.epoch, grant.asked.epoch)
                    draft.asked[grant.life].append(entry)
    return draft.asked


def _let_go(draft: Draft, queue: Queue, life: Life, epoch: Epoch, stamp: Stamp) -> None:
    owned = draft.ownership.get(queue)
    grant = granted(owned, Tenure(life, epoch))
    if owned is None or grant is None:
        return  # a release of an epoch that is over: late, repeated, or never granted
    if grant.asked is None:
        draft.occasion = Cause(
            CauseKind.DRAIN, life.member, stamp.position, "released without being asked"
        )
    else:
        draft.served.add(grant.asked.epoch)
    if grant is owned.holder:
        _vacate(draft, queue, owned, Ending.RELEASED, stamp)
    else:
        draft.ownership.put(queue, replace(owned, heir=None))


def _vacate(draft: Draft, queue: Queue, owned: Ownership, ending: Ending, stamp: Stamp) -> None:
    """The holder is done: its heir holds now, under the same epoch (it may have started)."""
    holder, heir = owned.holder, owned.heir
    waited, reason = Millis(0), None
    if holder.asked is not None:
        waited = Millis(stamp.heard - holder.asked.at)
        if ending in _CARRIED_OUT:
            told = holder.asked.epoch if heir is None else heir.epoch
            draft.served.add(told)
            reason = draft.reasons.get(told)
    vacancy = Vacancy(holder.member, ending, waited, reason)
    if heir is None:
        draft.ownership.remove(queue)
        draft.vacant[queue] = vacancy
    else:
        draft.ownership.put(queue, Ownership(heir))
        _pass_on(draft, queue, vacancy, heir.member)


def _pass_on(draft: Draft, queue: Queue, vacancy: Vacancy, taker: MemberId) -> None:
    if taker == vacancy.giver:
        return
    way = vacancy.giver, taker, vacancy.ending, vacancy.reason
    passage = draft.passages.setdefault(way, Passage())
    passage.queues.append(queue)
    passage.duration_ms = max(passage.duration_ms, vacancy.waited_ms)


def fence(draft: Draft, stamp: Stamp) -> None:
    """Take back every grant of the lives that ended."""
    if not draft.fenced:
        return
    for queue in draft.ownership.concerning({member for member, _ in draft.fenced}):
        owned = draft.ownership[queue]
        if owned.heir is not None and _fenced(draft, owned.heir) is not None:
            owned = replace(owned, heir=None)
            draft.ownership.put(queue, owned)
        ending = _fenced(draft, owned.holder)
        if ending is not None:
            _vacate(draft, queue, owned, ending, stamp)
    draft.fenced.clear()


def _fenced(draft: Draft, grant: Grant) -> Ending | None:
    return draft.fenced.get(grant.life)


def recall(draft: Draft, stamp: Stamp) -> None:
    """Have the queues of topics that were made anew let go: every position in them is void."""
    if not draft.recreated:
        return
    asked = Asked(draft.next_epoch, stamp.heard)
    for queue, owned in draft.ownership.items():
        if queue.topic in draft.recreated:
            heir = None if owned.heir is None else _told(owned.heir, asked)
            draft.ownership.put(queue, Ownership(_told(owned.holder, asked), heir))


def settle(draft: Draft, stamp: Stamp) -> None:
    """Move each queue one step towards the member the target names for it."""
    asked = Asked(draft.next_epoch, stamp.heard)
    promises: dict[tuple[MemberId | None, TopicName], Grant | None] = {}  # alike for many queues
    draft.loose, kept = [], Counter[MemberId]()
    for queue in _unsettled(draft):
        _take(draft, queue, stamp)
        owned, meant = draft.ownership.get(queue), (draft.target.get(queue), queue.topic)
        if meant not in promises:
            promises[meant] = _promise(draft, *meant)
        wanted = promises[meant]
        if wanted is None and meant[0] is not None:
            draft.loose.append(queue)
            if _may_keep(draft, owned, queue.topic, kept):
                continue
        page = _unbegun(draft, next_page(owned, wanted, asked), wanted)
        if page is not None and page != owned:
            _check(queue, page)
            draft.ownership.put(queue, page)
            if owned is None and queue in draft.vacant:
                _pass_on(draft, queue, draft.vacant[queue], page.holder.member)
            _take(draft, queue, stamp)


def _may_keep(
    draft: Draft, owned: Ownership | None, topic: TopicName, kept: Counter[MemberId]
) -> bool:
    """Tell whether a queue stays where it is until its member in the target can be promised it."""
    if owned is None or owned.heir is not None or owned.holder.asked is not None:
        return False
    name = owned.holder.member
    holder = draft.members.get(name)
    if holder is None or not holder.owns or not wants(holder, topic):
        return False
    return holder.capacity is None or _has_room(draft, name, holder.capacity, kept)


def _has_room(draft: Draft, name: MemberId, capacity: int, kept: Counter[MemberId]) -> bool:
    """Tell whether a member can carry one more beside its own share and what it keeps already."""
    kept[name] += 1
    return _loads(draft)[name] + kept[name] <= capacity


def _unsettled(draft: Draft) -> list[Queue]:
    """Return, in order, the queues worth looking at; the others are where they should be.

    An operator who asks for a rebalance doubts that, and has each of them looked at.
    """
    if draft.urgent:
        return sorted({*draft.ownership.merged(), *draft.target})
    queues = {*draft.ownership.drawn, *draft.aimed, *draft.before.loose}
    queues.update(draft.ownership.concerning(draft.members.drawn.keys()))
    return sorted(queues)


def _unbegun(draft: Draft, page: Ownership | None, wanted: Grant | None) -> Ownership | None:
    """Replace an eager heir freely: it begins when its record says hold, and that it never did."""
    if page is None or page.heir is None or page.heir.asked is None:
        return page
    if not _is_eager(draft, page.heir):
        return page
    back = wanted is not None and _same_life(page.holder, wanted)
    return replace(page, heir=None if back else wanted)


def take(draft: Draft, stamp: Stamp) -> None:
    """Take queues from eager holders that had their time: they will never say that they let go."""
    for queue in draft.ownership.moving():
        _take(draft, queue, stamp)


def _take(draft: Draft, queue: Queue, stamp: Stamp) -> None:
    owned = draft.ownership.get(queue)
    if owned is None or owned.holder.asked is None or not _is_eager(draft, owned.holder):
        return
    if stamp.heard - notice.begins(draft, owned.holder.asked) >= draft.policy.eager_grace_ms:
        _vacate(draft, queue, owned, Ending.TAKEN, stamp)


def _is_eager(draft: Draft, grant: Grant) -> bool:
    member = draft.members.get(grant.member)
    return member is not None and member.eager and member.incarnation == grant.incarnation


def _promise(draft: Draft, name: MemberId | None, topic: TopicName) -> Grant | None:
    """Return what the target's member may be promised; the target may be older than its wishes."""
    member = None if name is None else draft.members.get(name)
    if name is None or member is None or member.away or draft.routes.get(topic) is None:
        return None
    if not wants(member, topic) or not member.owns or _is_too_much(draft, name, member):
        return None
    return Grant(name, member.incarnation, draft.next_epoch)


def _is_too_much(draft: Draft, name: MemberId, member: Member) -> bool:
    """Tell whether the target was made when a member could carry more."""
    if member.capacity is None or draft.targeted:
        return False
    return _loads(draft)[name] > member.capacity


def _loads(draft: Draft) -> Mapping[MemberId, int]:
    """Return how many queues are meant for each; counted once a step, when the target is made."""
    if draft.loads is None:
        draft.loads = Counter(draft.target.values())
    return draft.loads


def next_page(owned: Ownership | None, wanted: Grant | None, asked: Asked) -> Ownership | None:
    """One queue's next page in the books. This function is the whole protocol."""
    if owned is None:
        return None if wanted is None else Ownership(wanted)
    holder, heir = owned.holder, owned.heir
    if heir is None:
        if wanted is not None and _same_life(holder, wanted):
            return owned  # if it was told to give, its release will bring it a new grant
        return Ownership(_told(holder, asked), wanted)
    if wanted is None or not _same_life(heir, wanted):
        return replace(owned, heir=_told(heir, asked))
    return owned  # the hand-over goes on, or the heir must let go before anything else


def _told(grant: Grant, asked: Asked) -> Grant:
    return grant if grant.asked is not None else replace(grant, asked=asked)


def _same_life(one: Grant, other: Grant) -> bool:
    return one.member == other.member and one.incarnation == other.incarnation


def _check(queue: Queue, owned: Ownership) -> None:
    holder, heir = owned.holder, owned.heir
    if heir is None:
        return
    if heir.member == holder.member:
        raise BrokenInvariant(f"{queue}: {heir.member} would be its own heir")
    if heir.epoch <= holder.epoch:
        raise BrokenInvariant(f"{queue}: epoch {heir.epoch} does not follow {holder.epoch}")
