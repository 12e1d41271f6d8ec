"""Adoption, and what operators commanded before and meanwhile."""

from rebalance.groups.model.commands import EvictMember, Forget, Pause
from rebalance.groups.model.decisions import (
    AssignmentWithdrawn,
    CommandAnswered,
    Outcome,
)
from tests.builders.amnesia import a_story, at_work
from tests.builders.notation import life
from tests.builders.records import (
    commanded,
    joined,
    left,
    routed,
)
from tests.builders.story import only


def test_commands_of_the_past_hit_nobody_of_today() -> None:
    """An eviction, a forgetting, a drain: the life that it was for is over."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(commanded(EvictMember(life("a")[0])))
    story.waits(seconds=1)
    story.reads(commanded(Forget()))
    story.waits(seconds=1)
    story.reads(joined("a:2"), routed("orders", 2))
    pages = story.pages()
    story.forgets(kept=2)

    assert pages == story.pages()
    assert {"a": "2"} == {
        name: it.incarnation for name, it in story.state.membership.members.items()
    }
    assert [] == only(AssignmentWithdrawn, story.decided)


def test_a_pause_of_the_past_still_holds() -> None:
    """It is read again with all commands of the log."""
    story = at_work()
    story.reads(commanded(Pause(None)))
    story.forgets()

    assert story.state.rules.paused


def test_commands_that_nobody_had_read() -> None:
    """They are obeyed and answered as if nothing had happened."""
    story = at_work()
    story.wall += 1
    story.missed(commanded(Pause(None)))
    story.forgets()

    assert story.state.rules.paused
    assert [Outcome.DONE] == [it.outcome for it in only(CommandAnswered, story.decided)]


def test_commands_from_before_the_log_begins_to_know_members() -> None:
    """Orders are kept for longer than joins, and still hold; and so does a forgetting."""
    story = at_work()
    story.reads(commanded(Pause(None)))
    story.forgets(kept=len(story.log) - 1)
    assert story.state.rules.paused

    again = a_story()
    again.reads(joined("a"), routed("orders", 1))
    again.reads(left("a"))
    again.reads(commanded(Forget()))
    again.reads(joined("a:2"))
    again.wall += 1
    again.missed(commanded(Pause(None)))
    again.forgets(kept=3)
    assert again.state.rules.paused
