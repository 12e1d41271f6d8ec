"""Topic ``groups``: one group on one screen, the newest summary under its key for ever.

Read by people, dashboards and the route watcher, which learns from it what each group asks for
and which version of each route its brain knows. A summary is cut to the contract's limits; the
counts beside the lists stay complete.

Called by ``sinks.record_of``. Its one rule: what is cut is never what the watcher still owes.
"""

from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupSummarised, TopicSummary
from sinks.causes import cause_of, text_of
from sinks.contract import Outlet, Record, keyed_by_group
from sinks.fitting import fitted
from trimtab import protocol
from trimtab.protocol import GROUPS, limits

_REASONS = 16
"""What the contract allows; strategies have a handful."""


def summarised(decision: GroupSummarised, outlet: Outlet) -> Record:
    """Write a group's summary."""
    summary = protocol.Group(
        group=decision.group,
        state=decision.phase.value,
        paused=decision.paused or None,
        paused_until_ms=decision.paused_until,
        epoch=decision.epoch,
        group_epoch=decision.group_epoch,
        target_epoch=decision.target_epoch,
        strategy=decision.strategy,
        own_strategy=decision.own_strategy,
        overrides=_overrides(decision.overrides),
        members=decision.population,
        queues=protocol.QueueCounts(
            assigned=decision.assigned, moving=decision.moving, unassigned=decision.unassigned
        ),
        subscriptions=decision.subscriptions if decision.subscriptions > 1 else None,
        shortage=dict(decision.shortage[:_REASONS]) or None,
        topics=_topics(decision.topics),
        left_out=_left_out(decision.topics),
        ailment=text_of(decision.ailment),
        patterns=decision.patterns or None,
        pace_ms=decision.pace_ms or None,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
        people=tuple(
            protocol.MemberSummary(
                member=member.member,
                hold=member.hold,
                give=member.give,
                inherit=member.inherit,
                heir_of=member.heir_of or None,
                draining=member.draining,
                away=member.away or None,
                held=member.held or None,
                resting=member.resting or None,
                standby=member.standby or None,
                guarded=member.guarded or None,
            )
            for member in decision.members
        ),
    )
    summary = fitted(summary, "people", "topics")
    if (more := len(decision.topics) - len(summary.topics)) > 0:
        summary = summary.model_copy(update={"more_topics": more})
    return keyed_by_group(outlet, GROUPS, decision.group, summary, decision.epoch)


def _overrides(overrides: Overrides) -> protocol.Overrides | None:
    own = overrides.own()
    return protocol.Overrides.model_validate(own) if own else None


def _topics(topics: tuple[TopicSummary, ...]) -> dict[str, protocol.TopicSummary]:
    return {
        topic.topic: protocol.TopicSummary(
            version=topic.version,
            queues=topic.queues,
            awaited=not topic.exists,
            generation=topic.generation or None,
            left_out=topic.left_out or None,
            popped=topic.popped or None,
        )
        for topic in _most_wanted(topics)
    }


def _left_out(topics: tuple[TopicSummary, ...]) -> protocol.LeftOutCounts | None:
    """Count what the group has no room for, and name the first of it."""
    without = [topic for topic in topics if topic.left_out]
    if not without:
        return None
    return protocol.LeftOutCounts(
        topics=len(without),
        queues=sum(topic.left_out for topic in without),
        first=tuple(topic.topic for topic in without[: limits.LEFT_OUT_NAMED]),
    )


def _most_wanted(topics: tuple[TopicSummary, ...]) -> list[TopicSummary]:
    """Those that are shared by a command come first: no start would know it of one that was cut.

    Then those that were not looked for yet, or cutting would hide them for ever, and those that the
    group has no room for: they are what is wrong with it.
    """
    return sorted(topics, key=_is_well)[: limits.TOPICS_PER_MEMBER]


def _is_well(topic: TopicSummary) -> tuple[bool, bool, bool]:
    return not topic.popped, topic.version > 0, topic.left_out == 0
