"""A release names a life that nobody was promised the queue: a member, or none yet."""

from dataclasses import replace

import pytest

from rebalance.groups.model.commands import ChoosePolicy
from rebalance.groups.model.decisions import AssignmentIssued, Freed, HandedOver
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import InstanceId, MemberId, Millis
from tests.builders.notation import life, life_text, naming_text
from tests.builders.records import beat_of, commanded, drained, joined, left, released, routed, wild
from tests.builders.story import Story, only

SESSION_S = 10
POLICY = Policy(standing_heirs=True, session_timeout_ms_max=Millis(SESSION_S * 1_000))


def a_story(policy: Policy = POLICY) -> Story:
    """Begin with b, who has orders-0 from a; a is still there, and comes next."""
    story = Story(policy=policy)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    story.reads(drained("a"))
    story.reads(released("a", "orders-0@1>2"), left("a"))
    assert {"orders-0": "b@2"} == story.pages()
    return story


def test_whom_a_release_names_holds_under_the_epoch_that_it_names() -> None:
    """Its join and the release are one batch; nothing moves back."""
    story = a_story()
    story.reads(joined("a:2"), released("b", "orders-0@2>3=a:2"), left("b"))

    assert {"orders-0": "a:2@3"} == story.pages()
    assert ["orders-0@3"] == [*map(naming_text, story.told("a").hold)]
    assert [("b", "a")] == [
        (it.from_member, it.to_member) for it in only(HandedOver, story.decided)
    ]


def test_epochs_go_on_above_those_that_holders_draw() -> None:
    """Whatever was drawn while the controller was away."""
    story = a_story()
    story.reads(joined("a:2"), released("b", "orders-0@2>90=a:2"), left("b"))

    assert {"orders-0": "a:2@90"} == story.pages()
    assert 91 == story.state.epoch
    story.reads(joined("c"))
    assert 92 == story.state.epoch


def test_an_epoch_that_is_not_above_names_nobody() -> None:
    """Tokens grow."""
    story = a_story()
    story.reads(joined("a:2"), released("b", "orders-0@2>2=a:2"), left("b"))

    assert {"orders-0": "a:2@5"} == story.pages()


def test_a_chain_is_booked_link_by_link() -> None:
    """Twice round, in one batch: the last one named has the queue."""
    story = a_story()
    story.reads(
        joined("a:2"),
        released("b", "orders-0@2>3=a:2"),
        left("b"),
        joined("b:2"),
        released("a:2", "orders-0@3>4=b:2"),
        left("a:2"),
        joined("a:3"),
        released("b:2", "orders-0@4>5=a:3"),
        left("b:2"),
        joined("b:3"),
    )

    assert {"orders-0": "a:3@5 > b:3@6"} == story.pages()


def test_whoever_is_named_before_it_has_joined_is_waited_for() -> None:
    """It is told to give what it has, when it comes; nobody else begins meanwhile."""
    story = a_story()
    story.reads(released("b", "orders-0@2>3=a:2"))
    assert "a:2@3!5" == story.pages()["orders-0"]

    story.waits(seconds=SESSION_S - 1)
    story.reads(beat_of("b", epoch=5))
    story.reads(joined("a:2"))
    assert ["orders-0@3"] == [*map(naming_text, story.told("a").give)]  # to get it anew


def test_its_time_to_give_begins_when_it_can_be_told() -> None:
    """Its join comes a minute late, longer than a member may take."""
    story = a_story()
    story.reads(released("b", "orders-0@2>3=a:2"))
    for _ in range(90):
        story.wall += 1_000
        story.reads(*(beat_of(it, epoch=5, sequence=story.offset) for it in ("b", "a:2")))
    story.reads(joined("a:2"))
    story.waits(seconds=1)

    assert {"a", "b"} == set(story.state.membership.members)
    assert [] == only(Freed, story.decisions)


def test_whoever_is_named_and_is_silent_is_ended_in_the_log() -> None:
    """Not before the longest session is over; it may have named another."""
    story = a_story()
    story.reads(released("b", "orders-0@2>3=a:2"))
    for _ in range(SESSION_S - 1):
        story.wall += 1_000
        story.reads(
            beat_of("b", epoch=5, sequence=story.offset), beat_of("a:2", sequence=story.offset)
        )
    for _ in range(SESSION_S - 1):
        story.wall += 1_000
        assert [] == only(Freed, story.reads(beat_of("b", epoch=5, sequence=story.offset)))
    story.waits(seconds=2)
    assert ["orders-0@3"] == [
        naming_text(naming) for it in only(Freed, story.decisions) for naming in it.namings
    ]
    assert {} == story.pages()  # it goes itself


@pytest.mark.parametrize("joins", ["before", "after", "a batch later"])
def test_whoever_works_already_is_believed_for_as_long_as_it_asked(joins: str) -> None:
    """It has read no record yet, and counts by that session: nobody is to work beside it."""
    story = a_story()
    join, named = joined("a:2", session_ms=60_000), released("b", "orders-0@2>3=a:2")
    if joins == "a batch later":
        story.reads(named)
        story.reads(join)
    else:
        story.reads(*((join, named) if joins == "before" else (named, join)))
    assert "a:2@3" in story.pages()["orders-0"]
    story.waits(seconds=SESSION_S + 1)
    assert 60_000 == story.state.membership.members[MemberId("a")].session_timeout_ms

    story.waits(seconds=60 - SESSION_S)
    assert "a" not in story.state.membership.members


def test_a_stranger_is_believed_for_the_longest_session_of_the_controllers() -> None:
    """The group's own is shorter, and counts for those that were told of it."""
    story = a_story(replace(POLICY, session_timeout_ms_max=Millis(60_000)))
    own = ChoosePolicy(Overrides(session_timeout_ms_max=Millis(SESSION_S * 1_000)))
    story.reads(commanded(own), released("b", "orders-0@2>3=a:2"))
    story.waits(seconds=59)
    assert "a:2@3!5" == story.pages()["orders-0"]

    story.waits(seconds=2)
    assert {} == story.pages()


def test_a_younger_life_that_is_let_in_ends_a_stranger_of_its_name() -> None:
    """That is released in the log as well, and the younger one is not taken for it."""
    story = a_story()
    story.reads(released("b", "orders-0@2>3=a:2"))
    story.reads(joined("a:3"))

    (freed,) = only(Freed, story.decided)
    assert "a:2" == life_text(*freed.life)


@pytest.mark.parametrize(
    ("policy", "newcomer"),
    [
        (replace(POLICY, on_twin=TwinRule.REFUSE_NEWER), "c:2"),
        (replace(POLICY, max_members=2), "d"),
    ],
    ids=["a twin", "too many members"],
)
def test_whoever_works_by_a_release_is_let_in(policy: Policy, newcomer: str) -> None:
    """Only who goes is succeeded so; what it has could not be taken from it without two owners."""
    story = a_story(policy)
    story.reads(joined("c"))
    story.reads(joined(newcomer), released("b", f"orders-0@2>4={newcomer}"))
    assert f"{newcomer}@4" in story.pages()["orders-0"]
    story.wall += 1_000
    story.reads(joined(newcomer, sequence=3))

    assert [] == only(Freed, story.decided)
    name, incarnation = life(newcomer)
    assert incarnation == story.state.membership.members[name].incarnation
    assert [4] == [it.epoch for it in story.told(name).give]  # to get it anew


def test_its_instance_does_not_stand_against_it_either() -> None:
    """Lives of one name that are told apart share an instance, and the older one goes."""
    policy = replace(POLICY, on_twin=TwinRule.SEPARATE, on_twin_instance=TwinRule.REFUSE_NEWER)
    story = Story(policy=policy)
    story.reads(joined("a"), joined("c", instance=InstanceId("i")), routed("orders", 1))
    story.reads(joined("c:2", instance=InstanceId("i")), released("a", "orders-0@1>9=c:2"))
    story.wall += 1_000
    story.reads(joined("c:2", instance=InstanceId("i"), sequence=3))

    assert [] == only(Freed, story.decided)
    assert MemberId("c@2") in story.state.membership.members


def test_whoever_is_not_let_in_loses_what_a_release_gave_it() -> None:
    """No record can ask it to let go: so its release is written for it, and names the next."""
    story = a_story(replace(POLICY, max_patterns=1))
    story.reads(joined("c"))
    story.reads(joined("d", patterns=wild("or* pay*")), released("b", "orders-0@2>4=d"))
    assert "d@4" in story.pages()["orders-0"]
    story.wall += 1_000
    story.reads(beat_of("d", owned="orders-0@4", sequence=2))
    assert [] == only(Freed, story.decided)
    story.reads(joined("d", patterns=wild("or* pay*"), sequence=3))

    (freed,) = only(Freed, story.decided)
    assert ("d", ["orders-0@4>6"]) == (life_text(*freed.life), [*map(naming_text, freed.namings)])


def test_what_a_stranger_has_is_not_its_namesakes() -> None:
    """The member of that name is told nothing of it, and has less in the summary."""
    story = a_story(replace(POLICY, on_twin=TwinRule.REFUSE_NEWER))
    story.reads(joined("c"))
    story.reads(joined("c:2"), released("b", "orders-0@2>4=c:2"))
    assert "c:2@4" in story.pages()["orders-0"]
    story.reads(joined("c", sequence=9))

    assert () == story.told("c").hold + story.told("c").give
    (c,) = (it for it in only(GroupSummarised, story.decisions)[-1].members if it.member == "c")
    assert (0, 0) == (c.hold, c.give)


def test_who_has_left_may_have_handed_on() -> None:
    """It was named, began, and left before the controller had heard of it."""
    story = a_story()
    story.reads(joined("a:2"))
    story.reads(left("a:2", sequence=9))
    story.reads(released("b", "orders-0@2>3=a:2"), left("b"), joined("c"))
    assert "a:2@3!7x > c@7" == story.pages()["orders-0"]

    story.unheard.clear()  # its own release stands before the controller's
    story.reads(joined("d"), released("a:2", "orders-0@3>4=d"))
    assert story.pages()["orders-0"].startswith("d@4")


def test_an_heir_that_has_ended_may_be_named_until_the_holder_shows_otherwise() -> None:
    """Then its own release says what follows."""
    story = Story(policy=POLICY)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    assert {"orders-0": "a@1 > b@2"} == story.pages()
    story.reads(left("b"), joined("c"))
    story.reads(released("a", "orders-0@1>2"))
    assert story.pages()["orders-0"].startswith("b@2!")

    story.unheard.clear()
    story.reads(released("b", "orders-0@2>3=c"))
    assert story.pages()["orders-0"].startswith("c@3")


@pytest.mark.parametrize("own", [False, True], ids=["its guard's", "its own"])
def test_the_word_that_it_goes_is_enough(*, own: bool) -> None:
    """Its leave is read later; nothing is asked back for who has gone."""
    story = a_story()
    story.reads(joined("c"))
    assert "b@2 > c@5" == story.pages()["orders-0"]
    story.reads(released("b", "orders-0@2>5", own=own))
    assert {"orders-0": "c@5"} == story.pages()

    story.reads(left("b", sequence=99))
    assert {"orders-0": "c@5"} == story.pages()


def test_who_goes_for_a_while_is_meant_all_the_same() -> None:
    """Its queues are kept: its release names nobody."""
    story = a_story()
    story.reads(released("b", "orders-0@2"))

    assert {"orders-0": "b@5"} == story.pages()


def test_lives_that_are_told_apart_are_named_apart() -> None:
    """Under the rule that gives each a name of its own."""
    apart = Policy(standing_heirs=True, on_twin=TwinRule.SEPARATE)
    story = Story(policy=apart)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    story.reads(released("a", "orders-0@1>3=b:2"), joined("b:2"), left("a"))

    (page,) = story.state.handover.books.values()
    assert "b@2" == page.holder.member
    assert MemberId("b@2") in {it.member for it in only(AssignmentIssued, story.decided)}
