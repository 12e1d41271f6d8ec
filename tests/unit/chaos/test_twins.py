"""Two processes of one name: what the elder may do until it has heard of the younger."""

from dataclasses import replace

from chaos.checks import violations
from chaos.history import Event
from tests.builders.histories import at, ordered

REST = [at(9, "round", "healed"), at(9, "round", "rested")]


def test_a_twin_begins_on_what_its_elder_may_read_a_moment_later() -> None:
    """But not for long."""
    history = [
        at(0, "m0.1", "began", token=1),
        at(1, "m0.1", "doubled"),
        at(2, "m0.2", "began", token=2),
        *REST,
    ]

    assert {} == violations(ordered([*history, at(3.9, "m0.1", "lost", token=1)]))
    assert violations(ordered([*history, at(4.1, "m0.1", "lost", token=1)]))


def test_a_twin_may_be_handed_a_message_until_it_has_heard_of_its_younger() -> None:
    """For a moment; whoever else begins does so on the record by which it hears of that."""
    elder = [at(0, "m0.1", "began", token=1), at(1, "m0.1", "doubled")]

    def judged(younger: str, handed_s: float, lost_s: float = 0.0) -> bool:
        begun = at(2, younger, "began", token=2)
        handed = at(handed_s, "m0.1", "handed", token=1, offset=3)
        lost = at(lost_s or handed_s, "m0.1", "lost", token=1)
        found = violations(ordered([*elder, begun, handed, lost, *REST]))
        return "nobody works on what others own" in found

    assert not judged("m0.2", 3.9)
    assert judged("m0.2", 4.1)
    assert not judged("m1.1", 3.9)
    assert judged("m1.1", 4.1)
    assert judged("m1.1", 3.9, lost_s=4.1)


def test_a_twin_may_read_its_grant_later_than_its_younger() -> None:
    """And loses it a moment after that; nobody else goes back to an earlier token."""

    def judged(elder: str, lost_s: float) -> bool:
        doubled = at(1, "m0.1", "doubled")
        younger = [at(2, "m0.2", "began", token=2), at(8, "m0.2", "gave", token=2)]
        late = [at(3, elder, "began", token=1), at(lost_s, elder, "lost", token=1)]
        found = violations(ordered([doubled, *younger, *late, *REST]))
        return "one life a token, and tokens grow" in found

    assert not judged("m0.1", 3.1)
    assert judged("m0.1", 5.1)
    assert judged("m1.1", 3.1)


def test_who_is_doubled_later_is_held_to_everything_until_then() -> None:
    """It is neither refused nor dead because of a twin that is to come."""
    late = "tokens never go back in effects"

    def judged(second: float) -> list[str]:
        events = [at(second, "m0.1", "refused", token=1), at(second + 0.1, "m0.1", "died")]
        return list(violations(ordered([*events, at(5, "m0.1", "doubled"), *REST])))

    assert [late, "no member dies by itself"] == judged(4)
    assert [] == judged(6)


def test_of_twins_the_older_life_ends_whichever_was_started_first() -> None:
    """A process that had nothing yet may have begun its life after its twin."""
    twins = [at(1, "m0.1", "doubled"), at(1, "m0.2", "started"), at(2, "m0.2", "died")]
    late = at(3, "m0.1", "began", token=1)

    def judged(*events: Event) -> list[str]:
        return list(violations(ordered([*events, *twins, *REST])))

    assert [] == judged(late)
    assert ["no member dies by itself"] == judged(replace(late, at=0))
    third = [at(3, "m0.3", "started"), at(4, "m0.3", "died")]
    assert ["no member dies by itself"] == judged(late, *third)
