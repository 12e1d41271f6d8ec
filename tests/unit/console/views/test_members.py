"""How members are."""

from console.views import members
from tests.unit.console.views.published_records import LIFE, assignment, group, hold
from trimtab.protocol import MemberSummary


def test_what_is_the_matter_with_a_member_is_said() -> None:
    """In the words of the glossary; a member with nothing to say works."""
    people = (
        MemberSummary(member="a", hold=1, give=0, inherit=0, draining=False, guarded=True),
        MemberSummary(member="b", hold=0, give=0, inherit=0, draining=True, held=True),
        MemberSummary(member="c", hold=1, give=0, inherit=0, draining=False),
    )
    rows = members.rows([group("a", "b", "c", people=people)])

    assert [("a", "guarded"), ("b", "draining, silent"), ("c", "working")] == [
        (row["member"], row["state"]) for row in rows
    ]


def test_the_life_of_a_member_is_shown_where_its_assignment_is_read() -> None:
    """Of one group; and all members, also those for which the summary had no room."""
    told = {it: assignment(it, hold=(hold(0, 2),)) for it in ("a", "b")}
    rows = members.rows_of(group("a", members=2), told)

    assert [("a", LIFE, 1), ("b", LIFE, 1)] == [
        (row["member"], row["incarnation"], row["hold"]) for row in rows
    ]
    assert ["working", None] == [row["state"] for row in rows]  # nobody says how b is
    assert all({*members.NARROW, *members.WIDE} == row.keys() for row in rows)


def test_it_is_said_of_which_groups_members_are_left_out() -> None:
    """A summary has room for a thousand, and a list that ends there looks whole."""
    groups = [group("a"), group("a", "b", group="big one", members=5_000)]

    assert [
        "big one: 2 of 5000 members are shown; the rest: `trimtab members list 'big one'`"
    ] == members.cuts(groups)


def test_a_record_of_a_life_that_went_is_no_member() -> None:
    """Its tombstone may not have been read; the summary is complete."""
    assert ["a"] == [row["member"] for row in members.rows_of(group("a"), {"z": assignment("z")})]
