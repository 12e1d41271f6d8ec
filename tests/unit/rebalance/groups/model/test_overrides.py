"""Rules of a group's own: given all at once, checked as a policy is, counted from then on."""

import pytest

from rebalance.groups.model.commands import ChoosePolicy
from rebalance.groups.model.decisions import AssignmentIssued, Rebalanced
from rebalance.groups.model.overrides import Overrides, effective
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import MemberId, Millis, TopicName
from tests.builders.records import commanded, joined, routed
from tests.builders.story import only, two_members


def test_a_policy_of_its_own_is_kept_and_shown() -> None:
    """All at once: what the next command does not name is the controller's again."""
    story = two_members()
    own = Overrides(blast_percent=80)
    decided = story.reads(commanded(ChoosePolicy(own)))
    assert own == story.state.rules.overrides
    assert own == only(GroupSummarised, decided)[-1].overrides

    other = Overrides(flap_limit=9)
    story.reads(commanded(ChoosePolicy(other)))
    assert other == story.state.rules.overrides

    story.reads(commanded(ChoosePolicy(Overrides(blast_percent=101))))
    assert other == story.state.rules.overrides

    story.reads(commanded(ChoosePolicy()))
    assert Overrides() == story.state.rules.overrides


def test_a_policy_of_its_own_counts_at_once_and_moves_nothing() -> None:
    """From its place in the log on, also within a batch; no new target for its sake."""
    story = two_members()
    bounded = Overrides(session_timeout_ms_max=Millis(20_000))
    decided = story.reads(
        joined("c", session_ms=60_000),
        commanded(ChoosePolicy(bounded)),
        joined("d", session_ms=60_000),
    )
    sessions = {
        name: story.state.membership.members[MemberId(name)].session_timeout_ms for name in "cd"
    }

    assert {"c": 60_000, "d": 20_000} == sessions
    assert 1 == len(only(Rebalanced, decided))
    assert [] == only(Rebalanced, story.reads(commanded(ChoosePolicy())))


def test_whoever_is_to_beat_more_often_is_told() -> None:
    """Its session is what it was: it trusts in the one it knows."""
    story = two_members()
    decided = story.reads(commanded(ChoosePolicy(Overrides(heartbeat_interval_ms=Millis(1_000)))))
    told = {it.member: it.heartbeat_interval_ms for it in only(AssignmentIssued, decided)}

    assert {"a": 1_000, "b": 1_000} == told


def test_what_is_waited_for_is_looked_at_anew() -> None:
    """A shorter patience may be over already."""
    story = two_members(queues=4)
    story.reads(routed("orders", 3, version=2))
    story.waits(seconds=5)
    assert 4 == len(story.state.topics.routes[TopicName("orders")].queues)

    story.reads(commanded(ChoosePolicy(Overrides(route_damping_ms=Millis(2_000)))))
    story.waits(seconds=1)
    assert 3 == len(story.state.topics.routes[TopicName("orders")].queues)


def test_rules_that_the_controller_has_come_to_contradict_rest() -> None:
    """Its settings were changed; the group goes on by them, and by its own again when it can."""
    story = two_members()
    story.reads(commanded(ChoosePolicy(Overrides(session_timeout_ms=Millis(60_000)))))
    story.policy = Policy(session_timeout_ms_max=Millis(30_000))
    story.reads(joined("c"))
    assert 10_000 == story.state.membership.members[MemberId("c")].session_timeout_ms

    story.policy = Policy()
    story.reads(joined("d"))
    assert 60_000 == story.state.membership.members[MemberId("d")].session_timeout_ms


@pytest.mark.parametrize(
    ("own", "settings", "rest"),
    [
        (
            Overrides(on_twin=TwinRule.REFUSE_NEWER, eager_grace_ms=Millis(2_000)),
            Policy(on_twin=TwinRule.SEPARATE),
            Overrides(eager_grace_ms=Millis(2_000)),
        ),
        (
            Overrides(session_timeout_ms=Millis(12_000), blast_percent=80),
            Policy(session_timeout_ms=Millis(20_000), session_timeout_ms_min=Millis(15_000)),
            Overrides(blast_percent=80),
        ),
        (
            Overrides(
                session_timeout_ms=Millis(30_000),
                session_timeout_ms_max=Millis(40_000),
                heartbeat_interval_ms=Millis(16_000),
            ),
            Policy(session_timeout_ms_max=Millis(20_000)),
            Overrides(session_timeout_ms=Millis(30_000), session_timeout_ms_max=Millis(40_000)),
        ),
    ],
    ids=["twins", "sessions", "one that needs another"],
)
def test_other_settings_of_the_controller_end_only_what_contradicts_them(
    own: Overrides, settings: Policy, rest: Overrides
) -> None:
    """It was started again with them; the rest of the group's own policy still counts."""
    assert rest.over(settings) == effective(settings, own, Millis(0))
