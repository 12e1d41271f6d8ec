"""Holding: how many may fall silent before we doubt our own ears."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rebalance.groups.members import mass_silence
from rebalance.groups.model.commands import Approve, ChoosePolicy, Pause, Resume
from rebalance.groups.model.decisions import EvictionsHeld
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp
from tests.builders.records import beat_of, commanded, joined, left, released, routed
from tests.builders.story import Story, only

NAMES = "abcdefghij"


def after_silence(members: int, silent: int, policy: Policy | None = None) -> Story:
    """A group of which some have said nothing for a whole session, and the others something."""
    story = Story(policy=policy or Policy())
    story.reads(*(joined(name) for name in NAMES[:members]), routed("orders", members))
    story.waits(seconds=6)
    if silent < members:
        story.reads(*(beat_of(name) for name in NAMES[silent:members]))
    story.waits(seconds=4)
    return story


@pytest.mark.parametrize(
    ("members", "silent", "left"),
    [
        (1, 1, 0),
        (2, 1, 1),
        (2, 2, 0),
        (3, 2, 1),
        (3, 3, 3),
        (4, 2, 2),
        (5, 3, 5),
        (10, 5, 5),
        (10, 6, 10),
    ],
)
def test_more_than_the_share_are_held(members: int, silent: int, left: int) -> None:
    """By default: more than half, and three at least (rule 6)."""
    assert left == len(after_silence(members, silent).state.membership.members)


def test_the_share_is_the_operators_choice() -> None:
    """At 100 % nobody is ever held."""
    assert 0 == len(after_silence(5, 5, Policy(blast_percent=100)).state.membership.members)


def test_holding_is_said_once() -> None:
    """With who is held, and how many look dead."""
    story = after_silence(5, 4)
    story.waits(seconds=3)

    assert [(("a", "b", "c", "d"), 4)] == [
        (held.members, held.silent) for held in only(EvictionsHeld, story.decisions)
    ]


def test_members_that_fell_silent_together_are_held_together() -> None:
    """The first to reach the end of its session is not evicted before the others are noticed."""
    story = Story()
    story.reads(*(joined(name) for name in NAMES[:5]), routed("orders", 5))
    for name in NAMES[:4]:
        story.waits(seconds=0.7)
        story.reads(beat_of(name))
    story.waits(seconds=9)

    assert 5 == len(story.state.membership.members)


def test_who_is_away_is_not_missed() -> None:
    """It said that it would be silent, so its silence says nothing of our ears."""
    story = Story()
    story.reads(*(joined(name) for name in NAMES[:5]), routed("orders", 5))
    story.reads(left("a", temporary=True), left("b", temporary=True))
    story.waits(seconds=6)
    story.reads(beat_of("d"), beat_of("e"))
    story.waits(seconds=4)

    assert [] == only(EvictionsHeld, story.decisions)
    assert {"d", "e"} == set(story.state.membership.members)


def test_silence_that_lasts_is_believed() -> None:
    """After the hold, counted by the log clock."""
    story = after_silence(3, 3, Policy(blast_hold_ms=Millis(20_000)))
    story.waits(seconds=19)
    assert 3 == len(story.state.membership.members)

    story.waits(seconds=1)
    assert 0 == len(story.state.membership.members)


def test_an_operator_may_confirm_it() -> None:
    """Approving evicts who is held and still silent, and nobody else."""
    story = after_silence(5, 4)
    story.reads(beat_of("d"))
    story.reads(commanded(Approve()))

    assert {"d", "e"} == set(story.state.membership.members)


@pytest.mark.parametrize("members", [None, 4])
def test_an_operator_may_shorten_it(members: int | None) -> None:
    """The rules that hold now count for those, too, who are held already."""
    own = Overrides(blast_members=members, blast_hold_ms=Millis(5_000))
    story = after_silence(3, 3, Policy(blast_hold_ms=Millis(60_000)))
    story.waits(seconds=4)
    story.reads(commanded(ChoosePolicy(own)))
    assert 3 == len(story.state.membership.members)

    story.waits(seconds=1)
    assert 0 == len(story.state.membership.members)


def test_enough_voices_end_the_hold() -> None:
    """Once most are heard again, the others have a heartbeat's time to be heard, too."""
    story = after_silence(5, 4)
    story.reads(beat_of("c"), beat_of("d"), beat_of("e"))
    story.waits(seconds=2)
    story.reads(beat_of("b"))
    story.waits(seconds=0.9)
    assert {"a", "b", "c", "d", "e"} == set(story.state.membership.members)

    story.waits(seconds=0.1)
    assert {"b", "c", "d", "e"} == set(story.state.membership.members)


def test_nobody_is_lost_who_returns_with_all_the_others() -> None:
    """A network that was away for longer than a session: all speak again, one after another."""
    story = after_silence(10, 10)
    story.reads(*(beat_of(name) for name in NAMES))
    story.waits(seconds=5)

    assert 10 == len(story.state.membership.members)


def test_silence_that_spreads_again_is_doubted_again() -> None:
    """The heartbeat's time is over, but most have fallen silent once more: back to the hold."""
    story = after_silence(5, 4, Policy(session_timeout_ms=Millis(10_000)))
    story.reads(beat_of("c"), beat_of("d"), beat_of("e"))
    pulses = story.state.membership.pulses.items()
    story.state = story.state.with_pulses(
        {name: replace(pulse, seen=Millis(0)) for name, pulse in pulses}
    )
    story.waits(seconds=29)
    assert 5 == len(story.state.membership.members)

    story.waits(seconds=1)
    assert 0 == len(story.state.membership.members)


def holds(story: Story) -> list[tuple[str, str]]:
    """Why evictions were held, as the history says, and whose."""
    held = only(EvictionsHeld, story.decisions)
    return [(it.cause.detail, "".join(it.members)) for it in held]


def test_what_a_pause_has_held_is_told_again_as_what_it_is() -> None:
    """For another reason, once: the alarm for many counts these notes. And the other way round."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 4))
    story.reads(commanded(Pause()))
    story.waits(seconds=6)
    story.reads(beat_of("a", epoch=1))
    story.waits(seconds=5)
    notes = [("paused", "bcd")]
    assert notes == holds(story)

    story.reads(commanded(Resume()))
    story.waits(seconds=2)
    notes.append(("3 of 4 are silent", "bcd"))
    assert notes == holds(story)

    story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1), commanded(Pause()))
    story.waits(seconds=2)
    notes.append(("paused", "cd"))
    assert notes == holds(story)


def test_what_was_approved_in_a_pause_is_not_held_after_it() -> None:
    """Nor told as held."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 4), commanded(Pause()))
    story.waits(seconds=6)
    story.reads(beat_of("a", epoch=1))
    story.waits(seconds=5)
    story.reads(commanded(Approve()))
    story.reads(commanded(Resume()))

    assert {"a"} == set(story.state.membership.members)
    assert ["paused"] == [it.cause.detail for it in only(EvictionsHeld, story.decisions)]


def looks(monkeypatch: pytest.MonkeyPatch) -> list[Stamp]:
    """When it was asked who is to be believed dead, from now on."""
    asked: list[Stamp] = []
    believed = mass_silence.believed

    def noted(draft: Draft, silent: Sequence[MemberId], stamp: Stamp) -> Sequence[MemberId]:
        asked.append(stamp)
        return believed(draft, silent, stamp)

    monkeypatch.setattr(mass_silence, "believed", noted)
    return asked


def test_everybody_is_counted_once_and_not_for_each_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an outage all speak in one batch: that must not cost the square of their number."""
    story = after_silence(10, 10)
    asked = looks(monkeypatch)
    story.reads(*(beat_of(name) for name in NAMES))

    assert [] == asked
    assert 10 == len(story.state.membership.members)


def test_a_paused_group_is_not_looked_at_for_each_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pause nobody is evicted, whoever speaks."""
    story = Story()
    story.reads(joined("a"), joined("b"), commanded(Pause()))
    story.waits(seconds=9)
    story.reads(beat_of("a"))
    story.waits(seconds=2)
    asked = looks(monkeypatch)
    story.reads(beat_of("a"), beat_of("a"), beat_of("a"))

    assert ["b"] == list(story.state.membership.suspected)
    assert [] == asked


def keeping(*silent: str) -> Story:
    """A group whose member a was told to give a queue 60 s ago; these said nothing for 6 s."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 5))
    story.reads(joined("e"))
    story.obeys("b", "c", "d")
    for _ in range(9):
        story.waits(seconds=6)
        story.reads(*(beat_of(name) for name in "abcde"))
    story.waits(seconds=5)
    story.reads(released("e", ""), *(beat_of(name) for name in "abcde" if name not in silent))
    story.waits(seconds=1)
    return story


@pytest.mark.parametrize(
    ("silent", "gone"),
    [("", {"a"}), ("b", {"a"}), ("a", {"a"}), ("abcde", set()), ("bcde", {"a"}), ("abc", set())],
    ids=["nobody", "another", "the keeper", "all", "all others", "most"],
)
def test_nobody_is_fenced_for_a_queue_that_we_may_not_have_heard_of(
    silent: str, gone: set[str]
) -> None:
    """While most are mute, a mute member that missed its deadline is held like the others."""
    assert set("abcde") - gone == set(keeping(*silent).state.membership.members)
