"""What has gone wrong lately, found in the history and in dead letters."""

from console.views import incidents
from tests.unit.console.views.published_records import LIFE, START_MS, cause, joined
from trimtab.protocol import Ailment, Conflict, DeadLetter, UndecodableRecord
from trimtab.protocol.deadletters import Place


def test_members_that_come_again_and_again_are_found() -> None:
    """A restart is none; nor are two members."""
    often = [joined("a") for _ in range(incidents.RETURNS)]

    assert [f"a came {incidents.RETURNS} times"] == [
        it.finding for it in incidents.of_history([*often, joined("b"), joined("b")])
    ]


def test_a_name_used_twice_is_found() -> None:
    """Each replaces the other. An instance under another name, or one restart after a kill, is not.

    A supervisor does that.
    """

    def conflict(older: str) -> Conflict:
        return Conflict(
            group="billing",
            older=older,
            older_incarnation=LIFE,
            newer="a",
            newer_incarnation=LIFE,
            rule="fence-older",
            at_ms=START_MS,
            cause=cause("a"),
        )

    once = [conflict("a"), conflict("b")]
    assert [] == list(incidents.of_history(once))
    (found,) = incidents.of_history([*once, conflict("a")])
    assert "two processes are called a: 2 times one replaced another" == found.finding


def test_dead_letters_are_counted_by_reason() -> None:
    """A thousand of one kind are one finding; whose command was refused knows it."""
    error = UndecodableRecord("invalid", "x")
    letters = [DeadLetter.of(error, Place("t.members", 0, it), b"k", b"v") for it in range(9)]

    refused = DeadLetter.of(
        UndecodableRecord("refused", "x"), Place("t.commands", 0, 1), b"k", b"v"
    )

    (found,) = incidents.of_letters([*letters, refused])
    assert ("t.members", "9 records could not be used: invalid") == (found.subject, found.finding)


def failure(subject: str, reason: str | None) -> Ailment:
    """What could not be done, or works again."""
    said = cause(subject, kind="ailment")
    return Ailment(subject=subject, reason=reason, at_ms=START_MS, cause=said)


def test_a_cluster_that_cannot_be_judged_is_found() -> None:
    """Nothing else says so: it has no summary. Of a group that has one its own is the truth."""
    told = [
        failure("east", "ValueError: x"),
        failure("west", "ValueError: y"),
        failure("west", None),
        failure("billing", "ValueError: z"),
    ]
    (found,) = incidents.of_history(told, {"billing"})

    assert ("ailment", "east") == (found.kind, found.subject)
    assert "it has a failure: ValueError: x" == found.finding
    assert "`trimtab brokers history --cluster east`" == found.remedy
