"""RocketMQ's own clients as members.

A RocketMQ client knows neither join nor beat: every 30 s it repeats all it wants. So its first
heartbeat is a join, one with other wishes is a new join, and all others are beats. It has no
incarnation, so a second process under its name cannot be told apart (``doubles`` looks for signs of
one); and it sends no releases, so it is eager. A heartbeat may leave out what the client
subscribes: of one that was adopted nobody knows it then, so it stays asked (brokers obey that).

RocketMQ's brokers keep one subscription for a whole group, that of the last heartbeat: members that
ask for different topics take them from each other every 30 s. Here each member has its own
subscription, unless the policy asks for RocketMQ's way (``Compat.ROCKETMQ``); then the last one
counts for all eager members.

Called by ``step``, for what such a client says and after each join. Its one rule: ``admission`` and
``membership`` decide who belongs to the group; this module decides only what the clients want.
"""

from dataclasses import replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.members import doubles, entry, membership
from rebalance.groups.model.decisions import MemberChange
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Registered, Unregistered
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import Compat
from rebalance.groups.model.subscriptions import wish_of
from rebalance.ids import MemberId, TopicName


def fold(draft: Draft, event: Registered | Unregistered) -> None:
    """Enter what a client said."""
    if isinstance(event, Registered):
        _register(draft, event)
    else:
        _unregister(draft, event)


def _register(draft: Draft, event: Registered) -> None:
    _enter(draft, event)
    if event.doubled:
        doubles.heard_twice(draft, event)


def _enter(draft: Draft, event: Registered) -> None:
    topics = event.topics if event.topics is not None else _as_before(draft, event)
    if topics is None:
        return  # it only repeats itself, and nobody has heard what it said first
    known = draft.membership.members.get(event.member)
    if known is not None and known.incarnation > event.incarnation:
        return
    said = doubles.saying(topics, event.mode, event.groups_hash)
    if known is not None and not _says_news(known, event, topics):
        doubles.repeated(draft, event, said, known)
        membership.see(draft, event.member, event.stamp)
        if event.topics is not None:
            agree(draft, event)  # it may be the custom by now
        return
    joined = Joined(
        event.stamp,
        event.life,
        sequence=0,
        topics=topics,
        session_timeout_ms=event.session_timeout_ms,
        mode=event.mode,
        eager=True,
    )
    entry.join(draft, joined)
    presumed = known is not None and known.presumed
    doubles.changed(draft, event, said, None if presumed else known)
    if event.topics is not None:
        agree(draft, joined)
    elif presumed:
        _ask_again(draft, event.member)


def _says_news(known: Member, event: Registered, topics: frozenset[TopicName]) -> bool:
    """Tell whether a client says something new; little is known of one that was adopted."""
    if known.presumed and (event.topics is not None or not known.eager):
        return True
    return (known.topics, known.mode) != (topics, event.mode)


def _ask_again(draft: Draft, name: MemberId) -> None:
    """Go on asking a client that was adopted: what it holds may not be all that it subscribes."""
    member = draft.membership.members[name]
    draft.membership.members.put(name, replace(member, presumed=True))


def _unregister(draft: Draft, event: Unregistered) -> None:
    """Remove a client. Its records come in order, so no departure has to be remembered."""
    known = draft.membership.members.get(event.member)
    if known is not None and known.incarnation == event.incarnation:
        cause = Cause(CauseKind.LEAVE, event.member, event.stamp.position)
        membership.depart(draft, event.member, MemberChange.LEFT, event.stamp, cause)


def agree(draft: Draft, event: Joined | Registered) -> None:
    """Give all eager members the last one's subscription, with ``compat = rocketmq``."""
    if draft.policy.compat is not Compat.ROCKETMQ or not draft.membership.members.demand.differs:
        return
    author = draft.membership.members.get(event.member)
    if author is None or not author.eager:
        return
    if author.incarnation == event.incarnation and draft.membership.members.agree(wish_of(author)):
        cause = Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position, "for all")
        draft.outbox.changes.append(cause)


def share(draft: Draft, topics: frozenset[TopicName]) -> None:
    """Have all clients share the queues of these topics, and own all others.

    What is known of one that was adopted may be only that it shared some.
    """
    for name, member in draft.membership.members.merged().items():
        if member.owns and (member.eager or member.pops):
            draft.membership.members.put(name, replace(member, pops=topics))


def _as_before(draft: Draft, event: Registered) -> frozenset[TopicName] | None:
    """What a client wants that does not say it: the same as before, or the same as the others."""
    known = draft.membership.members.get(event.member)
    if known is not None:
        return known.topics
    if draft.policy.compat is not Compat.ROCKETMQ:
        return None
    if len(draft.membership.members.table) == 1:  # as nearly always: they have agreed
        return next(iter(draft.membership.members.table))[0]
    wishes = (member.topics for member in draft.membership.members.values() if member.eager)
    return next(wishes, frozenset())
