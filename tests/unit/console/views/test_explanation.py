"""The chain of causes."""

from console.views import explanation
from console.views.explanation import Row
from tests.unit.console.views.published_records import (
    START_MS,
    assignment,
    cause,
    granted,
    group,
    handed_over,
    hold,
    inherit,
    joined,
    rebalanced,
)
from trimtab.protocol import CommandAnswer, HistoryRecord, HolderRef

TWO = group("a", "b")


def what(rows: list[Row] | None) -> list[object]:
    """The steps in words."""
    assert rows is not None
    return [row["what"] for row in rows]


def numbered(*entries: HistoryRecord) -> list[tuple[str, HistoryRecord]]:
    """Entries at places."""
    return [(f"history@{number}", entry) for number, entry in enumerate(entries)]


def test_a_queue_came_by_a_hand_over_that_a_join_set_off() -> None:
    """First the event, then what was decided, then the hand-over, then how it is."""
    history = numbered(
        joined("a", offset=80),
        rebalanced(2, why=cause("a", 80)),
        joined("b"),
        rebalanced(4),
        handed_over(1, "a", "b"),
        handed_over(0, "a", "b"),
    )
    told = [assignment("a"), assignment("b", hold=(hold(0, 4), hold(1, 4)))]
    rows = explanation.of_queue("orders-0", TWO, told, history)

    assert [
        "b joined",
        "rebalance 3 -> 4: 1 move, 2 members, 2 queues",
        "orders-0 went from a to b under epoch 4 (released, 130 ms after it was told)",
        "now b holds it under epoch 4",
    ] == what(rows)
    assert rows is not None
    assert ["history@2", "history@3", "history@5", None] == [row["place"] for row in rows]
    assert {"join of b, trimtab.members/3@90"} == {row["because"] for row in rows}


def test_a_queue_that_nobody_had_was_granted() -> None:
    """The history says to whom, as of a hand-over."""
    history = numbered(
        joined("a", offset=80),
        rebalanced(2, why=cause("a", 80)),
        granted(0, "a", why=cause("a", 80)),
        rebalanced(4),
    )
    rows = explanation.of_queue("orders-0", TWO, [assignment("a", hold=(hold(0, 2),))], history)

    assert [
        "a joined",
        "rebalance 1 -> 2: 1 move, 2 members, 2 queues",
        "a got orders-0, which nobody had, under epoch 2",
        "now a holds it under epoch 2",
    ] == what(rows)


def test_what_an_owner_was_told_later_is_not_why_it_has_a_queue() -> None:
    """Its record carries the cause of what is new in it; who comes next may be older as well."""
    history = numbered(joined("a", offset=80), granted(0, "a", why=cause("a", 80)), rebalanced(4))
    told = [assignment("a", hold=(hold(0, 2),)), assignment("b", inherit=(inherit(0, 3, "a"),))]
    rows = explanation.of_queue("orders-0", TWO, told, history)

    assert rows is not None
    assert {
        "now a holds it under epoch 2": "join of a, trimtab.members/3@80",
        "now b comes next, under epoch 3, when a lets go": None,
    } == {str(row["what"]): row["because"] for row in rows[-2:]}


def test_a_queue_that_its_owner_had_before_came_with_the_rebalance_that_drew_its_epoch() -> None:
    """By an earlier life: that is no hand-over, and no first grant."""
    history = numbered(joined("a", offset=80), rebalanced(2, why=cause("a", 80)), rebalanced(4))
    rows = explanation.of_queue("orders-0", TWO, [assignment("a", hold=(hold(0, 2),))], history)

    assert [
        "a joined",
        "rebalance 1 -> 2: 1 move, 2 members, 2 queues",
        "now a holds it under epoch 2",
    ] == what(rows)


def test_an_owner_that_came_back_has_its_queue_under_what_its_return_drew() -> None:
    """It went to that name before, under another epoch; without its return that is not all."""
    came = handed_over(0, "a", "b").model_copy(update={"epoch": 2})
    back = joined("b", offset=95).model_copy(update={"event": "rejoined"})
    history = numbered(joined("b"), came, back, rebalanced(4, why=cause("b", 95)), rebalanced(8))
    told = [assignment("b", epoch=8, hold=(hold(0, 4),))]
    rows = explanation.of_queue("orders-0", TWO, told, history) or []

    way = [
        "b joined",
        "orders-0 went from a to b under epoch 2 (released, 130 ms after it was told)",
    ]
    now = "now b holds it under epoch 4"
    drew = ["b rejoined", "rebalance 3 -> 4: 1 move, 2 members, 2 queues"]
    assert [*way, *drew, now] == what(rows)
    assert "join of b, trimtab.members/3@95" == rows[-1]["because"]
    rows = explanation.of_queue("orders-0", TWO, told, history[:2]) or []
    assert [*way, "the history no longer shows when it was granted", now] == what(rows)
    assert rows[-1]["because"] is None


def test_a_queue_is_explained_as_it_was_at_a_moment() -> None:
    """By its last change of owner until then; nothing is said of what came later."""
    later = handed_over(0, "a", "b").model_copy(update={"at_ms": START_MS + 60_000})
    history = numbered(joined("a", offset=80), granted(0, "a", why=cause("a", 80)), later)

    rows = explanation.of_queue_at("orders-0", history, START_MS + 1_000)
    assert ["a joined", "a got orders-0, which nobody had, under epoch 2"] == what(rows)
    assert [] == explanation.of_queue_at("orders-0", history, START_MS - 1)
    assert [] == explanation.of_queue_at("orders-1", history, START_MS + 1_000)


def test_who_had_gone_by_then_is_not_said_to_have_a_queue() -> None:
    """If nobody took over, nobody had it; whoever came back under that name may have had it."""
    left, back = (joined("a", at_ms=START_MS + number * 60_000) for number in (1, 3))
    left = left.model_copy(update={"event": "left"})
    back = back.model_copy(update={"incarnation": "1767225780000-9f86d081"})
    history = numbered(joined("a", offset=80), granted(0, "a", why=cause("a", 80)), left, back)
    got = ["a joined", "a got orders-0, which nobody had, under epoch 2"]

    def at(minute: int) -> list[object]:
        return what(explanation.of_queue_at("orders-0", history, START_MS + minute * 60_000))

    assert got == at(0)
    assert [*got, "a left", "then nobody had it"] == at(2)
    assert [*got, "a left", "a joined"] == at(4)


def test_an_older_life_that_ends_takes_nothing_from_the_younger() -> None:
    """Who has its name has the queue."""
    young = joined("a").model_copy(update={"incarnation": "1767225780000-9f86d081"})
    fenced = joined("a", at_ms=START_MS + 1).model_copy(update={"event": "fenced"})
    history = numbered(joined("a", offset=80), granted(0, "a", why=cause("a", 80)), young, fenced)
    rows = explanation.of_queue_at("orders-0", history, START_MS + 60_000)

    assert "then nobody had it" not in what(rows)


def test_a_life_that_was_replaced_has_nothing_when_the_younger_one_ends() -> None:
    """Nothing in the history says that the older one ended: a name has one life at a time."""
    history = numbered(
        joined("a", offset=80),
        granted(0, "a", why=cause("a", 80)),
        *(
            joined("a").model_copy(update={"incarnation": "1767225780000-9f86d081", "event": it})
            for it in ("rejoined", "left")
        ),
    )
    rows = explanation.of_queue_at("orders-0", history, START_MS)

    assert ["a left", "then nobody had it"] == what(rows)[-2:]


def test_what_the_history_does_not_hold_is_not_guessed() -> None:
    """An old hand-over to somebody else explains nothing of today's owner."""
    history = numbered(handed_over(0, "x", "z"))
    rows = explanation.of_queue("orders-0", TWO, [assignment("a", hold=(hold(0, 1),))], history)

    assert 2 == len(what(rows))
    assert "no longer shows" in str(what(rows)[0])
    assert explanation.of_queue("orders-9", TWO, [], history) is None


def test_a_queue_that_nobody_has_is_explained_by_how_its_group_is() -> None:
    """What it lacks, who drains or is away, and what it did last; before it, how it was lost."""
    people = tuple(
        it.model_copy(update={"draining": it.member == "a", "away": it.member == "b" or None})
        for it in TWO.people
    )
    starved = group("a", "b", state="starved", shortage={"no room": 2}, people=people)
    rows = explanation.of_queue("orders-1", starved, [], numbered(handed_over(1, "x", "a")))

    assert [
        "orders-1 went from x to a under epoch 4 (released, 130 ms after it was told)",
        "now nobody has it",
    ] == what(rows)
    assert rows is not None
    assert (
        "billing is starved; no room; a: draining; b: away; join of b, trimtab.members/3@90"
        == rows[-1]["because"]
    )
    assert ["now nobody has it"] == what(explanation.of_queue("orders-1", starved, [], []))


def test_a_queue_on_its_way_names_both() -> None:
    """Who is to give it, and who waits."""
    told = [
        assignment("a", give=(hold(0, 2, to="b"),)),
        assignment("b", inherit=(inherit(0, 3, "a"),)),
    ]
    assert [
        "now a is to give it under epoch 2",
        "now b comes next, under epoch 3, when a lets go",
    ] == what(explanation.of_queue("orders-0", TWO, told, []))[-2:]


def test_a_group_rebalanced_because_of_its_last_change() -> None:
    """All that the same event brought about, then the state; a shortage names its reason."""
    history = numbered(
        joined("a", offset=80), rebalanced(2, why=cause("a", 80)), joined("b"), rebalanced(4)
    )
    rows = explanation.of_group(group("a", "b", shortage={"no member is in its room": 3}), history)

    assert ["b joined", "rebalance 3 -> 4: 1 move, 2 members, 2 queues"] == what(rows)[:2]
    assert str(what(rows)[2]).startswith("now stable at epoch 4")
    assert ("3 queues have no owner", "no member is in its room") == (
        rows[3]["what"],
        rows[3]["because"],
    )


def test_a_rebalance_of_the_past_is_found_by_its_time() -> None:
    """The last one by then, and not what came since; a command explains itself."""
    command = cause("c-1", 7, kind="command")
    answer = CommandAnswer(
        group="billing",
        id="c-1",
        command="drain",
        principal="ann",
        reason="rack 7",
        outcome="done",
        epoch=1,
        at_ms=START_MS,
        cause=command,
    )
    history = numbered(
        answer, rebalanced(2, START_MS + 1, command), rebalanced(4, START_MS + 60_000)
    )
    rows = explanation.of_group(group("a"), history, START_MS + 1_000)

    assert [
        "drain by ann (rack 7): done",
        "rebalance 1 -> 2: 1 move, 2 members, 2 queues",
    ] == what(rows)
    assert [] == explanation.of_group(group("a"), history, START_MS - 1)


def test_a_pause_and_a_silent_owner_are_said() -> None:
    """Nothing that led here says why nothing moves now."""
    people = tuple(it.model_copy(update={"held": it.member == "b"}) for it in TWO.people)
    paused = group("a", "b", paused=True, paused_until_ms=START_MS, people=people)
    told = [assignment("b", hold=(hold(0, 4),))]
    end = "billing is paused until 2026-01-01T00:00:00.000Z"

    assert ["silent, and not evicted yet: b", end] == what(explanation.of_group(paused, []))[-2:]
    assert ["now b holds it under epoch 4; b is silent", end] == [
        *what(explanation.of_queue("orders-0", paused, told, []))[-2:]
    ]
    endless = group("a", "b", paused=True)
    assert ["now nobody has it", "billing is paused until somebody resumes it"] == what(
        explanation.of_queue("orders-1", endless, [], [])
    )


def test_what_is_older_than_the_history_is_said_to_be_so() -> None:
    """A rebalance before its beginning is not explained with another one, nor with nothing."""
    history = numbered(joined("b"), rebalanced(4))

    assert [] == explanation.of_group(TWO, history, START_MS - 1)
    assert explanation.too_old("rebalance of billing", history).startswith(
        "the history has no rebalance of billing up to then: it begins at 20"
    )
    assert explanation.too_old("rebalance of billing", []).endswith(": it holds nothing of it")


def test_a_queue_without_its_brokers_name_is_none() -> None:
    """Of a topic of RocketMQ's, whose queues are counted on each broker."""
    told = [assignment("a", hold=(HolderRef("orders", "broker-a", 0, 2),))]
    assert explanation.of_queue("orders-0", TWO, told, []) is None
