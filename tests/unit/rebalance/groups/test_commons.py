"""What members work on and nobody owns."""

import pytest

from rebalance.groups.commons import ring
from rebalance.groups.model.commands import ChooseMode, ChoosePolicy, Pause
from rebalance.groups.model.decisions import AssignmentIssued, CommandAnswered, Outcome
from rebalance.groups.model.events import Mode, RouteObserved
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import ANY_QUEUE, BrokerName, MemberId, Queue, TopicName
from tests.builders.allocation_vectors import POP, queues
from tests.builders.amnesia import Remembered
from tests.builders.lines import Line, of_each
from tests.builders.records import (
    RouteRecord,
    commanded,
    drained,
    joined,
    left,
    registered,
    routed,
    wild,
)
from tests.builders.story import Story, only

SHARED = Mode.SHARED
DEALT_EVENLY = [line for line in POP if line["strategy"] == "AVG" and line["cids"]]


def numbers(story: Story, member: str) -> list[int]:
    """The queues that a member is told to work on."""
    return [naming.queue.id for naming in story.told(member).hold]


def trio(policy: Policy | None = None) -> Story:
    """Three members that share the six queues of a topic."""
    story = Story(policy or Policy(share_number=1))
    story.reads(*(joined(name, mode=SHARED) for name in "abcd"), routed("orders", 8))
    return story


def answered(line: Line) -> list[tuple[str, int, list[Queue]]]:
    """What ``allocate4Pop`` answered members of a group, where it is asked of members only."""
    if "expect_by_k" in line:
        rows = [(cid, k, got) for k, answers in line["expect_by_k"] for cid, got in answers]
    else:
        rows = [(line["cid"], line["K"], line["expect"])] if "expect" in line else []
    return [(cid, k, queues(got) or []) for cid, k, got in rows if cid in line["cids"]]


@of_each(DEALT_EVENLY)
def test_a_ring_is_as_rocketmq_draws_it(line: Line) -> None:
    """For the members of a list without repetition, as a group is one: the same sets of queues."""
    names, given = [MemberId(cid) for cid in line["cids"] if cid], queues(line["queues"]) or []
    if len({*names}) < len(line["cids"]):
        return
    for cid, following, expected in answered(line):
        assert {*expected} == {*_written(given, names, following, cid)}


def _written(given: list[Queue], names: list[MemberId], following: int, cid: str) -> list[Queue]:
    """A queue of Kafka has no broker that could choose; the vectors' brokers all have a name."""
    return list(ring(given, names, following).get(MemberId(cid), ()))


def test_every_queue_is_drawn_from_by_one_more_than_the_share_number() -> None:
    """And each member has its own run, and that of the next, round the corner."""
    story = trio()

    assert [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [0, 1, 6, 7]] == [
        numbers(story, name) for name in "abcd"
    ]


@pytest.mark.parametrize("number", [-1, 0, 3, 99])
def test_a_share_number_of_none_or_too_many_is_all(number: int) -> None:
    """RocketMQ's default; queues of Kafka are named one by one."""
    story = trio(Policy(share_number=number))

    assert [list(range(8))] * 4 == [numbers(story, name) for name in "abcd"]


def test_a_broker_with_a_name_is_asked_for_whichever_queue_it_likes() -> None:
    """RocketMQ's broker chooses a queue when it is asked for the number -1."""
    topic = TopicName("orders")
    given = [Queue(topic, BrokerName(broker), n) for broker in ("b1", "b2") for n in range(3)]
    drawn = ring(given, [MemberId("a")], -1)

    assert [("b1", ANY_QUEUE), ("b2", ANY_QUEUE)] == [
        (queue.broker, queue.id) for queue in drawn[MemberId("a")]
    ]


def test_with_more_members_than_queues_each_has_one() -> None:
    """And nobody has none."""
    story = Story(Policy(share_number=1))
    story.reads(*(joined(name, mode=SHARED) for name in "abcd"), routed("orders", 3))

    assert [[0], [1], [2], [0]] == [numbers(story, name) for name in "abcd"]


def test_a_topic_and_a_group_may_have_share_numbers_of_their_own() -> None:
    """The more particular one counts."""
    policy = Policy(share_number=1, share_numbers=(("billing/orders", 2), ("orders", -1)))
    assert [6] * 4 == [len(numbers(trio(policy), name)) for name in "abcd"]

    policy = Policy(share_number=1, share_numbers=(("orders", -1), ("others/orders", 2)))
    assert [8] * 4 == [len(numbers(trio(policy), name)) for name in "abcd"]


def test_whoever_draws_from_other_queues_than_before_is_told() -> None:
    """And nobody else: a queue keeps its epoch."""
    story = trio(Policy(share_number=1))
    decided = story.reads(joined("e", "payments", mode=SHARED))
    assert ["e"] == [it.member for it in decided if isinstance(it, AssignmentIssued)]

    story.reads(left("b"))
    assert [[0, 1, 2, 3, 4, 5], [3, 4, 5, 6, 7], [0, 1, 2, 6, 7]] == [
        numbers(story, name) for name in "acd"
    ]
    assert {1} == {naming.epoch for name in "acd" for naming in story.told(name).hold}


def test_a_new_share_number_is_told_to_all_whom_it_concerns() -> None:
    """And of two commands at once the last counts."""
    story = trio(Policy(share_number=1))
    story.reads(commanded(ChoosePolicy(Overrides(share_number=2))))
    assert [6] * 4 == [len(numbers(story, name)) for name in "abcd"]

    decided = story.reads(commanded(ChoosePolicy(Overrides(share_number=2, flap_limit=9))))
    assert [] == only(AssignmentIssued, decided)


def test_whoever_wants_to_go_leaves_the_ring_at_once() -> None:
    """The others draw from its queues before it has gone."""
    story = trio(Policy(share_number=1))
    story.reads(drained("d"))

    assert ([], 8) == (numbers(story, "d"), len({*numbers(story, "a"), *numbers(story, "c")}))


def test_members_that_share_disturb_nobody_who_owns() -> None:
    """Each queue has one owner all the same, and the group comes to rest."""
    story = trio()
    story.reads(joined("x"), joined("y"))

    assert [*range(8)] == sorted(numbers(story, "x") + numbers(story, "y"))
    assert 8 == len(story.state.handover.books)


def test_a_member_that_begins_to_share_lets_others_have_what_it_held() -> None:
    """At once: it draws from the ring now, by right."""
    story = Story(Policy(share_number=1))
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    story.reads(joined("a", mode=SHARED))

    assert ([0, 1], [0, 1]) == (numbers(story, "a"), numbers(story, "b"))


def popping(*names: str) -> Story:
    """RocketMQ's clients of two topics; the queues of one are shared by a command."""
    story = Story()
    clients = [registered(name, "orders visits") for name in names]
    story.reads(*clients, routed("orders", 4), routed("visits", 4))
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=True, share_number=1)))
    return story


def shared(story: Story, member: str) -> list[int]:
    """The queues that a member shares, beside those that it owns."""
    return [naming.queue.id for naming in story.told(member).shared]


def test_what_a_command_has_shared_is_drawn_and_the_rest_is_owned() -> None:
    """As POP is set for a group and a topic; nobody owns a queue of that topic any more."""
    story = popping("a", "b", "c", "d")

    assert [[0, 1], [1, 2], [2, 3], [0, 3]] == [shared(story, it) for it in "abcd"]
    assert [[0], [1], [2], [3]] == [numbers(story, it) for it in "abcd"]
    assert {"visits"} == {queue.topic for queue in story.state.handover.books}
    summary = only(GroupSummarised, story.decisions)[-1]
    assert (GroupPhase.STABLE, 0) == (summary.phase, summary.unassigned)
    assert {"orders": True, "visits": False} == {it.topic: it.popped for it in summary.topics}


def test_who_comes_later_shares_as_well() -> None:
    """The command stands for the group, and the others draw from fewer queues."""
    story = popping("a", "b", "c")
    story.reads(registered("d", "orders visits"))

    assert [[0, 1], [1, 2], [2, 3], [0, 3]] == [shared(story, it) for it in "abcd"]


def test_a_share_number_counts_from_the_next_command_on() -> None:
    """Without one the policy's, and by default everything is everybody's."""
    story = popping("a", "b", "c", "d")
    decided = story.reads(commanded(ChooseMode(TopicName("orders"), pops=True)))

    assert 4 == len(only(AssignmentIssued, decided))
    assert [[0, 1, 2, 3]] * 4 == [shared(story, it) for it in "abcd"]


def test_a_command_is_taken_back_and_each_queue_has_one_owner_again() -> None:
    """At once: who shared a queue has nothing to release."""
    story = popping("a", "b")
    pull = ChooseMode(TopicName("orders"), pops=False)
    story.reads(commanded(pull))

    again = only(CommandAnswered, story.reads(commanded(pull)))
    assert ["orders is not shared by any command"] == [it.detail for it in again]
    assert [[], []] == [shared(story, it) for it in "ab"]
    assert [[0, 1, 0, 1], [2, 3, 2, 3]] == [numbers(story, it) for it in "ab"]


def test_what_is_to_be_tried_again_is_never_shared() -> None:
    """RocketMQ's brokers have it pulled, whatever the mode."""
    story = popping("a")
    retries = ChooseMode(TopicName("%RETRY%billing"), pops=True)
    (answer,) = only(CommandAnswered, story.reads(commanded(retries)))

    assert (Outcome.REFUSED, True) == (answer.outcome, "cannot be shared" in answer.detail)


def test_members_that_hand_over_own_what_others_are_told_to_share() -> None:
    """They do not pop: the command is for clients that know no releases."""
    story = popping("a", "b")
    story.reads(joined("x"))

    assert ([0, 1, 2, 3], []) == (numbers(story, "x"), shared(story, "x"))
    assert [[0, 1, 2, 3]] * 2 == [shared(story, it) for it in "ab"]


def test_what_is_shared_by_command_outlasts_a_lost_checkpoint() -> None:
    """It is told again as it stood published, before any client has said anything."""
    story = Remembered()
    story.reads(*(registered(it, "orders visits") for it in "abcd"))
    story.reads(routed("orders", 4), routed("visits", 4))
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=True, share_number=1)))
    before = [(numbers(story, it), shared(story, it)) for it in "abcd"]
    story.forgets(kept=len("abcd") + 2)  # commands are kept for longer than the rest

    assert before == [(numbers(story, it), shared(story, it)) for it in "abcd"]


def brokers(topic: str, *names: str, queues: int) -> RouteRecord:
    """The watcher saw so many queues at each of these brokers."""
    name = TopicName(topic)
    seen = tuple(Queue(name, BrokerName(it), n) for it in names for n in range(queues))
    return lambda stamp: RouteObserved(stamp, name, 1, exists=True, queues=seen)


def test_everything_at_each_broker_outlasts_a_lost_checkpoint_and_is_never_owned() -> None:
    """Records say "any queue" of each broker; which there are is known when they are told."""
    story = Remembered()
    story.reads(*(registered(it) for it in "ab"), brokers("orders", "b1", "b2", queues=2))
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=True)))
    before = [shared(story, it) for it in "ab"]
    story.forgets(kept=len("ab") + 1)
    assert [[ANY_QUEUE] * 2] * 2 == before == [shared(story, it) for it in "ab"]

    story.reads(*(registered(it) for it in "ab"))
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=False)))
    assert [[], []] == [numbers(story, it) for it in "ab"]
    story.reads(brokers("orders", "b1", "b2", queues=2))
    assert [[0, 1], [0, 1]] == [numbers(story, it) for it in "ab"]


def test_what_is_shared_is_owned_again_only_when_somebody_can_be_told() -> None:
    """In a pause no target is computed: nobody would have the queues until it ends."""
    story = popping("a", "b")
    story.reads(commanded(Pause()))
    pull = ChooseMode(TopicName("orders"), pops=False)
    (answer,) = only(CommandAnswered, story.reads(commanded(pull)))

    assert (Outcome.REFUSED, "the group is paused") == (answer.outcome, answer.detail[:19])
    assert [0, 1, 2, 3] == sorted({*shared(story, "a"), *shared(story, "b")})


def test_who_subscribes_by_pattern_owns_what_others_share() -> None:
    """RocketMQ's clients have no patterns; an eager member that has some owns its queues."""
    story = popping("a", "b")
    story.reads(joined("x", "visits", eager=True, patterns=wild("ord*")))

    owned = [naming.queue for naming in story.told("x").hold if naming.queue.topic == "orders"]
    assert (4, []) == (len(owned), shared(story, "x"))
    assert GroupPhase.STABLE is story.phase()


def test_only_those_whose_part_changes_are_told() -> None:
    """Who comes and shares nothing is nobody's news."""
    story = popping("a", "b", "c", "d")
    decided = story.reads(registered("e", "payments"))

    assert ["e"] == [it.member for it in only(AssignmentIssued, decided)]
