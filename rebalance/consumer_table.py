"""The consumer table: the members that are RocketMQ's own clients.

A regular who says the same sentence every half minute. A RocketMQ client knows neither join nor
beat: it repeats all of its wishes, and so the first time it is a join, a changed wish is a new one,
and the rest are signs of life. It has no incarnation, so a copy under its name cannot be told from
it, but for what one process would not do (``doubles``); and it knows no releases, so it is eager.

RocketMQ's brokers keep one subscription for a whole group, that of the last heartbeat, and what is
not in it is gone for everybody: members that ask for different topics take them from each other
every 30 s. Here each member has its own wishes, unless the policy asks for that
(``Compat.ROCKETMQ``); then the wishes of any eager member are those of all.

Called by ``step``, for what such a client says and after each join. Its one rule: who belongs to
the group is ``membership``'s business; here is only what it wants.
"""

from rebalance import doubles, membership
from rebalance.causes import Cause, CauseKind
from rebalance.decisions import MemberChange
from rebalance.draft import Draft
from rebalance.events import Joined, Mode, Registered, Unregistered
from rebalance.group import Member
from rebalance.ids import TopicName
from rebalance.policy import Compat
from rebalance.subscriptions import wish_of


def fold(draft: Draft, event: Registered | Unregistered) -> None:
    """Enter what a client said."""
    if isinstance(event, Registered):
        _register(draft, event)
    else:
        _unregister(draft, event)


def _register(draft: Draft, event: Registered) -> None:
    topics = event.topics if event.topics is not None else _as_before(draft, event)
    if topics is None:
        return  # it only repeats itself, and nobody has heard what it said first
    known = draft.members.get(event.member)
    if known is not None and known.incarnation > event.incarnation:
        return
    said = (topics, event.mode, event.company)
    if known is not None and not _says_news(known, topics, event.mode):
        doubles.repeated(draft, event, said, known)
        membership.see(draft, event.member, event.stamp)
        return
    joined = Joined(
        event.stamp,
        event.member,
        event.incarnation,
        sequence=0,
        topics=topics,
        session_timeout_ms=event.session_timeout_ms,
        mode=event.mode,
        eager=True,
    )
    membership.join(draft, joined)
    doubles.changed(draft, event, said, None if known is None or known.presumed else known)
    agree(draft, joined)


def _says_news(known: Member, topics: frozenset[TopicName], mode: Mode) -> bool:
    """Tell whether a client says what is not known of it; of one that was adopted, most is not."""
    return known.presumed or (known.topics, known.mode) != (topics, mode)


def _unregister(draft: Draft, event: Unregistered) -> None:
    """Strike a client out. Its records come in order, so there is no ghost to be remembered."""
    known = draft.members.get(event.member)
    if known is not None and known.incarnation == event.incarnation:
        cause = Cause(CauseKind.LEAVE, event.member, event.stamp.position)
        membership.depart(draft, event.member, MemberChange.LEFT, event.stamp, cause)


def agree(draft: Draft, event: Joined) -> None:
    """Have all eager members want what the last of them does, where that is the custom."""
    author = draft.members.get(event.member)
    if draft.policy.compat is not Compat.ROCKETMQ or author is None or not author.eager:
        return
    if author.incarnation == event.incarnation and draft.members.agree(wish_of(author)):
        cause = Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position, "for all")
        draft.causes.append(cause)


def _as_before(draft: Draft, event: Registered) -> frozenset[TopicName] | None:
    """What a client wants that does not say: as before, or as the others where that is one."""
    known = draft.members.get(event.member)
    if known is not None:
        return known.topics
    if draft.policy.compat is not Compat.ROCKETMQ:
        return None
    if len(draft.members.table) == 1:  # as nearly always: they have agreed
        return next(iter(draft.members.table))[0]
    wishes = (member.topics for member in draft.members.values() if member.eager)
    return next(wishes, frozenset())
