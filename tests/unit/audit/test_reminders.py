"""Told again what it knows: only whoever shows that it does not know it (I14)."""

from audit.checker import Promises
from tests.unit.audit.histories import HEARTBEAT_MS, ShownHistory


def deaf(*, exact: bool = True) -> ShownHistory:
    """A member that was told of epoch 3, while its beats name epoch 2."""
    told = ShownHistory(Promises(exact=exact))
    told.ticks()
    told.issued("a", 3, hold="orders-0@3")
    return told


def waits(told: ShownHistory, heartbeats: int, epoch: int = 2) -> None:
    """Let it beat for so long."""
    for _ in range(heartbeats):
        told.ticks(HEARTBEAT_MS)
        told.beats("a", epoch)


def test_who_has_not_read_is_told_again() -> None:
    """After two heartbeats; and after four more once again."""
    told = deaf()
    waits(told, 2)
    told.issued("a", 4, hold="orders-0@3")
    waits(told, 4)
    told.issued("a", 5, hold="orders-0@3")

    assert [] == told.details


def test_nobody_is_told_again_too_soon() -> None:
    """Nor as soon as the first time, when that was in vain."""
    told = deaf()
    waits(told, 1)
    told.issued("a", 4, hold="orders-0@3")
    assert ["I14"] == told.wrong

    waits(told, 2)
    told.issued("a", 5, hold="orders-0@3")
    waits(told, 3)
    told.issued("a", 6, hold="orders-0@3")
    assert ["I14", "I14"] == told.wrong


def test_who_has_read_or_names_no_epoch_asks_for_nothing() -> None:
    """Whatever its beats said before that."""
    for epoch in (0, 3):
        told = deaf()
        waits(told, 9, epoch)
        told.issued("a", 4, hold="orders-0@3")

        assert ["I14"] == told.wrong


def test_of_records_without_an_order_any_beat_counts() -> None:
    """Recorded topics do not tell what was read before what was written."""
    told = deaf(exact=False)
    told.joined("a")
    told.beats("a", 2)
    told.issued("a", 4, hold="orders-0@3")
    told.issued("a", 5, hold="orders-0@3")

    assert [] == told.wrong


def test_what_was_asked_long_ago_is_no_reason_without_an_order_either() -> None:
    """Each of ten rebalances was followed by two full beats: they excuse what comes soon."""
    told = ShownHistory(Promises(exact=False))
    told.ticks()
    told.joined("a")
    held = ""
    for epoch in range(2, 12):
        before, held = held, f"{held} orders-{epoch}@{epoch}".strip()
        told.issued("a", epoch, hold=held)
        told.beats("a", epoch, before)
        told.beats("a", epoch, held)
    told.issued("a", 12, hold=held)
    assert [] == told.details

    for epoch in range(13, 33):
        for _ in range(70):
            told.ticks()
        told.issued("a", epoch, hold=held)
    assert ["I14"] * 20 == told.wrong


def test_who_has_read_is_told_again_while_an_older_life_of_its_name_beats() -> None:
    """That record ends the older one, which has not read it."""
    told = deaf()
    told.issued("a:2", 4, hold="orders-0@4")
    told.beats("a:2", 4)
    told.beats("a", 3)
    told.issued("a:2", 5, hold="orders-0@4")
    assert [] == told.details

    told.issued("a:2", 6, hold="orders-0@4")
    assert ["I14"] == told.wrong
