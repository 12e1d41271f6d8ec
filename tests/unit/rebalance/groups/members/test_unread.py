"""Whoever does not show that it has read its record is told again, ever more rarely."""

from itertools import chain

import pytest

from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import BeatSeen
from rebalance.ids import MemberId
from rebalance.stamp import Stamp
from tests.builders.notation import namings
from tests.builders.records import beat_of, joined, left, routed
from tests.builders.story import Story, only

BEAT_S = 10 / 3
"""With sessions of 10 s."""


def missed() -> Story:
    """A member has read epoch 1, and not that it owns two queues under epoch 2."""
    story = Story()
    story.reads(joined("a"))
    story.reads(routed("orders", 2))
    return story


def beats(
    story: Story, count: int, epoch: int, who: str = "a", owned: str | None = None
) -> list[int]:
    """Let a member beat; return the numbers of the beats after which it was sent a record."""
    told = []
    for number in range(1, count + 1):
        story.waits(seconds=BEAT_S)
        records = only(AssignmentIssued, story.reads(beat_of(who, epoch=epoch, owned=owned)))
        told += [number for record in records if record.member == who]
    return told


@pytest.mark.parametrize("owned", ["", None])
def test_who_beats_on_under_an_older_epoch_is_told_again(owned: str | None) -> None:
    """It has missed its record, and would never work on what the books say it owns."""
    story = missed()
    told = story.told("a")

    assert [3] == beats(story, 3, epoch=1, owned=owned)
    assert set(namings("orders-0@2 orders-1@2")) == set(told.hold)
    assert told == story.told("a")


def test_who_can_never_read_is_told_ever_more_rarely() -> None:
    """An hour of it costs fewer than 25 records."""
    told = beats(missed(), 1_080, epoch=1)
    gaps = [later - earlier for earlier, later in zip([0, *told], told, strict=False)]

    assert gaps[:5] == sorted(gaps[:5])
    assert [3, 4, 8] == gaps[:3]
    assert max(gaps) <= 65
    assert len(told) < 25


PATIENT_S = 10 + 4 / 5 * 60
"""A session for reading, and the four fifths of a revocation timeout that a member gives itself."""


def asked() -> Story:
    """A member works on two queues, has acted on that, and is asked for one; it misses that."""
    story = missed()
    story.reads(beat_of("a", epoch=2))
    story.reads(joined("b"))
    assert story.told("a").give
    return story


def fenced_at(story: Story, read_s: int | None) -> int | None:
    """Beat on; name the last record from a time on; return when the member is fenced."""
    epoch = 2
    for second in range(1, 600):
        story.waits(seconds=1)
        if read_s is not None and second >= read_s:
            epoch = story.state.epoch
        records = [beat_of("b", epoch=story.state.epoch)]
        if second % 3 == 0:
            records.append(beat_of("a", epoch=epoch))
        story.reads(*records)
        if MemberId("a") not in story.state.membership.members:
            return second
    return None


def test_who_missed_that_it_is_to_let_go_has_its_time_from_being_told_again() -> None:
    """It lets go by its own count from reading; until then nobody else works on its queue."""
    for read_s in (1, 10, 26, 54):  # after each of the tellings
        fenced = fenced_at(asked(), read_s)

        assert fenced is not None
        assert fenced >= read_s + 4 / 5 * 60


def test_who_never_reads_it_is_fenced_all_the_same() -> None:
    """By its beats it lives, and knows nothing: after three more tellings its time is over."""
    fenced = fenced_at(asked(), None)

    assert fenced is not None
    assert PATIENT_S < fenced <= 17 * BEAT_S + 3 + PATIENT_S


def test_nobody_is_fenced_for_what_a_controller_that_was_away_did_not_tell_it_again() -> None:
    """However long that was: its deadline starts once more when it is told."""
    story = asked()
    story.reads(beat_of("b", epoch=3))
    pairs = [(beat_of("a", epoch=2), beat_of("b", epoch=3)) for _ in range(200)]
    story.reads_late(*chain.from_iterable(pairs), apart=BEAT_S / 2)
    assert MemberId("a") in story.state.membership.members
    assert MemberId("a") in {it.member for it in only(AssignmentIssued, story.decided)}

    fenced = fenced_at(story, None)
    assert fenced is not None
    assert PATIENT_S < fenced


def test_who_shows_that_it_has_read_is_told_nothing() -> None:
    """Nor after that, though the group's epoch goes on for others."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    assert [] == beats(story, 5, epoch=1)
    story.reads(joined("c", "payments"), left("c"))
    assert story.state.epoch == 2

    assert [] == beats(story, 5, epoch=1)
    assert story.state.membership.pulses[MemberId("a")].unread is None


def test_its_patience_is_new_when_it_has_read_again() -> None:
    """It counts how often it was told in vain, and not for ever."""
    story = missed()
    assert [3, 7] == beats(story, 7, epoch=1)
    beats(story, 1, epoch=2)
    story.reads(routed("orders", 3, version=2))

    assert [3] == beats(story, 3, epoch=2)


def test_who_asks_by_itself_or_names_no_epochs_is_left_alone() -> None:
    """Whoever was never answered joins again; RocketMQ's clients know nothing of epochs."""
    assert [] == beats(missed(), 20, epoch=0)


def test_an_outage_of_the_controller_is_nobodys_deafness() -> None:
    """What the batch before it said may have been published after all of these beats."""
    story = missed()

    def beat(stamp: Stamp) -> BeatSeen:
        story.wall += 3_333  # until the next one
        return beat_of("a", epoch=1)(stamp)

    assert [] == story.reads(*[beat] * 20)
    story.wall -= 3_333  # its last beat was the last record of that batch
    assert [2] == beats(story, 3, epoch=1)


def test_time_without_a_controller_is_nobodys_deafness() -> None:
    """Nobody told it again, so its patience starts anew; that it has not read is not forgotten."""
    story = missed()
    story.waits(seconds=5)
    story.away(seconds=60)

    assert [] == only(AssignmentIssued, story.starts(beat_of("a", epoch=1)))
    assert [2] == beats(story, 2, epoch=1)


def test_a_newer_record_is_given_its_time() -> None:
    """It says all that the one before it said."""
    story = missed()
    assert [] == beats(story, 2, epoch=1)
    story.reads(routed("orders", 3, version=2))

    assert [3] == beats(story, 3, epoch=1)


def test_a_new_life_has_missed_nothing() -> None:
    """What an earlier one did not read is no matter."""
    story = missed()
    beats(story, 2, epoch=1)
    story.reads(joined("a:2"))
    unread = story.state.membership.pulses[MemberId("a")].unread

    assert unread is not None
    assert (story.state.epoch, 0) == (unread.epoch, unread.times)


def test_an_older_life_that_works_on_is_told_that_it_has_ended() -> None:
    """It missed the record of its successor; it is told again, and once for each beat of that."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("a:2"))

    def is_told(who: str, epoch: int) -> bool:
        return [] != only(AssignmentIssued, story.reads(beat_of(who, epoch=epoch)))

    assert not is_told("a", 1)  # it may have left before that record was written
    assert not is_told("a:2", 2)
    assert is_told("a", 1)
    assert not is_told("a", 1)
    assert not is_told("a:2", 2)
    assert is_told("a", 1)
