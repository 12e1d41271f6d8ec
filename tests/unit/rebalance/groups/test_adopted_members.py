"""Adoption, for members of every kind: twins, commons, those that leave or know no releases."""

from dataclasses import replace

from rebalance.groups.model.decisions import AssignmentIssued, AssignmentWithdrawn
from rebalance.groups.model.events import BeatSeen, Mode
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.groups.model.state import GroupState
from rebalance.ids import Life, Queue
from tests.builders.amnesia import Remembered, a_story
from tests.builders.notation import life
from tests.builders.records import (
    beat_of,
    drained,
    found,
    joined,
    left,
    missing,
    registered,
    routed,
)
from tests.builders.story import only


def test_commons_own_nothing() -> None:
    """Who broadcasts works on what others own; that is no claim."""
    story = a_story()
    story.reads(joined("a"), joined("x", mode=Mode.BROADCASTING), routed("orders", 2))
    pages, told = story.pages(), _works_on(story, "x")
    story.forgets(kept=len(story.log))

    assert pages == story.pages()
    assert told == _works_on(story, "x")


def test_what_no_member_owns_is_kept() -> None:
    """Nobody owns it, and the log has kept nothing of the topic: their records name its queues."""
    story = a_story(Policy(share_number=1))
    shared = [joined(name, "orders", mode=Mode.SHARED) for name in "abc"]
    story.reads(*shared, joined("x", "news", mode=Mode.BROADCASTING))
    story.reads(routed("orders", 6), routed("news", 2))
    told = {name: _works_on(story, name) for name in "abcx"}
    story.forgets(kept=len(story.log))

    assert [4, 4, 4, 2] == [len(queues) for queues in told.values()]
    assert told == {name: _works_on(story, name) for name in "abcx"}


def _works_on(story: Remembered, name: str) -> list[Queue]:
    return [naming.queue for naming in story.told(name).hold]


def test_members_that_know_no_releases() -> None:
    """RocketMQ's clients go on with what they have."""
    story = a_story()
    story.reads(registered("a"), registered("b"), routed("orders", 4))
    pages = story.pages()
    story.forgets()

    assert pages == story.pages()


def test_who_knows_no_releases_is_known_again_by_what_it_says() -> None:
    """Its first heartbeat is forgotten; what it only hints at shows that it lets go at once."""
    for said in ("orders", None):
        story = a_story()
        story.reads(registered("a"), routed("orders", 4))
        story.forgets(kept=len(story.log))
        assert story.state.membership.members[life("a")[0]].presumed
        story.reads(registered("a", said))
        story.reads(registered("b"))

        member = story.state.membership.members[life("a")[0]]
        assert (True, said is None) == (member.eager, member.presumed)
        assert {"a", "b"} == set(story.owners().values())


def test_twins_that_are_told_apart() -> None:
    """Each life has its own record, and its own queues again."""
    story = a_story(Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"), joined("a:2"), routed("orders", 4))
    story.reads(joined("a:3"))
    pages = story.pages()
    bare = {
        name: None if issued is None else _bare(issued) for name, issued in story.records.items()
    }
    story.records = bare
    story.forgets(kept=len(story.log))

    assert pages == story.pages()
    assert {"a@1", "a@2", "a@3"} == set(story.state.membership.members)


def _bare(issued: AssignmentIssued) -> AssignmentIssued:
    """As the wire has it: under the names that members call themselves."""
    portion = issued.portion
    inherit = tuple(
        replace(it, predecessor=it.predecessor._replace(life=_of_a(it.predecessor.life)))
        for it in portion.inherit
    )
    return replace(
        issued,
        life=issued.life._replace(member=life("a").member),
        portion=replace(portion, inherit=inherit),
    )


def _of_a(one: Life) -> Life:
    return one._replace(member=life("a").member)


def test_who_refuses_newer_lives_keeps_the_older() -> None:
    """Its join is lost and the refused one's is not: the published life works on."""
    story = a_story(Policy(on_twin=TwinRule.REFUSE_NEWER))
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("a:2"))
    story.reads(beat_of("a", epoch=1))
    pages = story.pages()
    story.forgets(kept=2)

    assert pages == story.pages()
    assert "1" == story.state.membership.members[life("a")[0]].incarnation


def test_a_refused_life_that_has_left_takes_nobody_along() -> None:
    """As before, and the newer one has gone again: it was a second copy, started by mistake."""
    story = a_story(Policy(on_twin=TwinRule.REFUSE_NEWER))
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("a:9"))
    story.reads(beat_of("a", epoch=1), left("a:9", sequence=50))
    pages = story.pages()
    story.forgets(kept=2)
    assert pages == story.pages()
    story.reads(left("a", sequence=50))
    story.reads(joined("a:2"))

    assert "2" == story.state.membership.members[life("a")[0]].incarnation


def test_who_is_away_makes_way_for_its_next_life() -> None:
    """That has joined, and the last batch was cut: whoever refuses twins does not refuse it."""
    story = a_story(Policy(on_twin=TwinRule.REFUSE_NEWER))
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    kept, old = len(story.log), story.records[life("b")[0]]
    story.reads(left("b", sequence=50, temporary=True))
    story.reads(joined("b:2"))
    story.records[life("b")[0]] = old
    story.forgets(kept=kept)

    assert "2" == story.state.membership.members[life("b")[0]].incarnation


def test_a_member_that_left_just_before_the_last_decision() -> None:
    """Nobody had read it yet: its queues are free, and its record is withdrawn."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.missed(left("b", sequence=50))
    story.forgets()

    assert ["b"] == [gone.member for gone in only(AssignmentWithdrawn, story.decided)]
    story.ticks()
    assert {"a"} == set(story.owners().values())


def test_who_is_away_is_away_although_its_join_is_lost() -> None:
    """The log keeps joins for a week. Its return is no twin's, and its queues wait for it."""
    story = a_story(Policy(on_twin=TwinRule.REFUSE_NEWER))
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    kept, mine = len(story.log), {queue for queue, name in story.owners().items() if name == "b"}
    story.missed(left("b", sequence=50, temporary=True))
    story.forgets(kept=kept)
    assert story.state.membership.members[life("b")[0]].away
    story.reads(beat_of("b", epoch=1), joined("b:2"))
    story.settles()

    assert "2" == story.state.membership.members[life("b")[0]].incarnation
    assert mine == {queue for queue, name in story.owners().items() if name == "b"}


def test_who_has_left_for_good_is_not_adopted_although_its_join_is_lost() -> None:
    """Its record was not withdrawn yet; it is now, and nobody waits for a session."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    kept = len(story.log)
    story.missed(left("b", sequence=50))
    story.forgets(kept=kept)

    assert ["b"] == [gone.member for gone in only(AssignmentWithdrawn, story.decided)]
    story.ticks()
    assert {"a"} == set(story.owners().values())


def test_no_more_members_are_adopted_than_may_join() -> None:
    """Whoever can write such records cannot fill the state with them."""
    story = a_story()
    story.reads(joined("a"), joined("b"), joined("c"), routed("orders", 4))
    story.policy = Policy(max_members=2)
    story.forgets(kept=len(story.log))

    assert ["a", "b"] == list(story.state.membership.members)
    assert ["c"] == [gone.member for gone in only(AssignmentWithdrawn, story.decided)]


def test_a_lost_release_is_proved_by_a_beat_of_the_past() -> None:
    """The beat was read when it was written, and counts against what is published, too."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.missed(beat_of("a", epoch=2, owned="orders-0@1"))
    story.forgets()

    assert {"a": "orders-1@1>2"} == story.freed()
    story.ticks()
    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_of_two_records_the_later_one_counts() -> None:
    """Whoever finds both, in whichever order."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    old = story.records[life("a")[0]]
    story.reads(joined("c"))
    new, pages = story.records[life("a")[0]], story.pages()
    others = [found(it) for it in story.records.values() if it is not None and it is not new]
    assert old is not None
    assert new is not None
    for mine in ([found(old), found(new)], [found(new), found(old)]):
        story.state = GroupState(story.state.name)
        story.finds(*mine, *others)

        assert pages == story.pages()


def test_a_drain_goes_on() -> None:
    """Who was leaving when the controller forgot is still let go."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.reads(drained("b", sequence=50))
    story.forgets()
    story.settles()

    assert {"a"} == set(story.owners().values())


def test_a_topic_that_was_missing_is_awaited_as_before() -> None:
    """Only topics of which queues are named are drawn on the map."""
    story = a_story()
    story.reads(joined("a", "orders payments"), routed("orders", 1), missing("payments"))
    story.forgets()

    assert {"orders": True, "payments": False} == {
        topic: route.exists for topic, route in story.state.topics.routes.items()
    }


def test_the_sessions_of_those_it_knows_begin_anew_too() -> None:
    """Their joins are in the log, and their beats since are not: that proves no silence (A6)."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    pages = story.pages()
    for _ in range(30):
        story.waits(seconds=1)
        story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
    story.log = [moment for moment in story.log if not isinstance(moment, BeatSeen)]
    story.forgets()
    assert not story.state.membership.members[life("a")[0]].presumed
    assert pages == story.pages()

    story.waits(seconds=9)
    assert pages == story.pages()
    story.waits(seconds=2)
    assert {} == story.pages()
