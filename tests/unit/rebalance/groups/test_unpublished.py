"""What was published, and is not found any more, is said again, and nothing moves."""

from dataclasses import replace
from itertools import permutations

import pytest

from rebalance.causes import CauseKind
from rebalance.groups.model.commands import RebalanceNow
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import Found
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Life
from rebalance.stamp import Stamp
from tests.builders.amnesia import Remembered, a_story, at_work
from tests.builders.records import advanced, commanded, found, joined, routed
from tests.builders.story import only, two_members


def on_the_wire(life: Life) -> Life:
    """Name it as its record does."""
    return life._replace(member=life.shared_name)


def starts(story: Remembered, *there: str) -> None:
    """Begin again, and find the records of these; of an empty name, the group's."""
    said = {name: it for name, it in story.records.items() if it is not None and name in there}
    lives = [replace(it, life=on_the_wire(it.life)) for it in said.values()]
    told = [found(it, start="2") for it in lives]
    epoch = story.state.epoch

    def summary(stamp: Stamp) -> Found:
        return advanced(epoch, start="2")(stamp)

    story.starts(*([summary] if "" in there else []), *told)  # type: ignore[arg-type]  # any moment


@pytest.mark.parametrize(
    ("there", "again"),
    [
        (["", "a", "b"], None),
        (["", "a"], ["b"]),
        ([""], ["a", "b"]),
        (["a", "b"], []),
        ([], None),
    ],
)
def test_what_is_missing_is_said_again(there: list[str], again: list[str] | None) -> None:
    """To each member whose record is not there, and to nobody else; under an epoch of its own."""
    story = at_work()
    pages, epoch = story.pages(), story.state.epoch
    starts(story, *there)

    issued = sorted(it.life.member for it in only(AssignmentIssued, story.decided))
    summaries = only(GroupSummarised, story.decided)
    assert pages == story.pages()
    assert (again or []) == issued
    assert [(epoch + 2, CauseKind.ADOPTION)] * (again is not None) == [
        (it.epoch, it.cause.kind) for it in summaries
    ]


def test_it_is_said_once() -> None:
    """Then it is there."""
    story = at_work()
    starts(story, "")
    starts(story, "", "a", "b")

    assert [] == story.decided


RULES = [it for it in TwinRule if it is not TwinRule.HAND_OVER]
"""That one is for instances alone."""


@pytest.mark.parametrize(("was", "becomes"), [*permutations(RULES, 2)])
def test_a_name_that_the_present_rule_would_not_give_is_found(
    was: TwinRule, becomes: TwinRule
) -> None:
    """Whoever the group knows keeps its name, and on the wire it has the one it calls itself."""
    story = at_work(Policy(on_twin=was))
    story.policy = Policy(on_twin=becomes)
    starts(story, "", *story.records)

    assert not only(AssignmentIssued, story.decided)
    assert not only(GroupSummarised, story.decided)


def test_what_the_batch_said_that_is_repeated_is_not_missed() -> None:
    """It was killed in the middle of it: what was found was read before that."""
    story = at_work()
    story.reads(joined("c"))
    starts(story, "", "a", "b")

    assert [] == story.decided


def test_nothing_is_missed_of_a_group_whose_first_batch_is_repeated() -> None:
    """Some of it was published, and not yet the summary."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    starts(story, "b")

    assert [] == story.decided


def test_who_comes_later_gets_nothing_that_others_work_on() -> None:
    """Whatever is forgotten then."""
    story = at_work()
    owners = story.owners()
    starts(story, "")
    story.forgets(kept=len(story.log))

    assert owners == story.owners()


def test_a_rebalance_answers_everybody() -> None:
    """Nothing moves, and what was lost of what is published is there again."""
    story = two_members()
    told = {name: story.told(name) for name in ("a", "b")}
    story.reads(commanded(RebalanceNow()))

    assert {"a", "b"} == {it.life.member for it in only(AssignmentIssued, story.decided)}
    assert told == {name: story.told(name) for name in ("a", "b")}
