"""What was sent as an effect of messages, until it is committed."""

import pytest

from tests.builders.sessions import queue
from trimtab import CommitError, Grant
from trimtab.consuming import sends as module
from trimtab.consuming.sends import Piece, Send, Sends, pieces

ONE = Grant(queue(), 1)
BARRED = "^send: refused since offset 5 of orders/0: seek back"


def kept(*offsets: int) -> Sends:
    """Effects of these messages of one queue."""
    sends = Sends()
    for offset in offsets:
        sends.add(ONE, Send(offset, {"topic": "t"}))
    return sends


def offsets(sends: Sends, before: int = 100) -> list[int]:
    """Of what is there."""
    return [it.offset for it in sends.together(lambda: {ONE: before})[1][ONE]]


def test_what_is_in_hand_is_not_written() -> None:
    """Only the effects of messages before the position, in their order; of another queue none."""
    sends = kept(3, 4, 4, 5)

    assert [3, 4, 4] == offsets(sends, 5)
    other = Grant(queue(1), 1)
    assert [] == sends.together(lambda: {other: 5})[1][other]


def test_what_is_written_is_written_once() -> None:
    """The rest stays."""
    sends = kept(3, 4, 5)
    sends.written(ONE, 5)

    assert [5] == offsets(sends)


def test_what_is_read_again_is_forgotten() -> None:
    """From there on."""
    sends = kept(3, 4, 5)
    sends.read_again(ONE, 4)

    assert [3] == offsets(sends)


def test_what_is_somebody_elses_is_dropped() -> None:
    """Whoever has the queue now has the effects again."""
    sends = kept(3)
    sends.drop(ONE)

    assert [] == offsets(sends)


def test_a_position_has_the_effects_that_there_were_by_then() -> None:
    """A seek back in between forgets some, so it is looked for another position."""
    sends, found = kept(3, 4, 5), iter((6, 4))

    def look() -> dict[Grant, int]:
        at = next(found)
        if at == 6:
            sends.read_again(ONE, 4)
        return {ONE: at}

    places, effects, _ = sends.together(look)
    assert {ONE: 4} == places
    assert [3] == [it.offset for it in effects[ONE]]
    assert sends.add(ONE, Send(4, {"topic": "t"}))  # it comes again, so its effect counts


def test_what_is_much_is_written_in_pieces() -> None:
    """The effects of one message stay together, and the last position is the one asked for."""
    many = [Send(offset, {"value": bytes(4_000_000)}) for offset in (1, 2, 3, 3, 5)]
    found = [*pieces(9, many)]

    assert [5, 9] == [it.at for it in found]
    assert [[1, 2, 3, 3], [5]] == [[it.offset for it in piece.sends] for piece in found]
    assert [Piece(9, [])] == [*pieces(9, [])]


def test_what_comes_after_its_position_was_taken_is_too_late() -> None:
    """It would be forgotten with what is written then; after a seek back it counts again."""
    sends = kept(3, 4)
    assert [3, 4] == offsets(sends, 5)

    assert not sends.add(ONE, Send(4, {"topic": "t"}))
    assert sends.add(ONE, Send(5, {"topic": "t"}))
    sends.read_again(ONE, 4)
    assert sends.add(ONE, Send(4, {"topic": "t"}))


def test_no_position_passes_an_effect_that_was_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever goes on after that error has done its message without it, or with half of it."""
    sends = kept(3, 5)
    monkeypatch.setattr(module, "_FULL", 0)
    with pytest.raises(CommitError, match="no room"):
        sends.add(ONE, Send(5, {"topic": "t"}), "no room")
    sends.written(ONE, 4)  # what was in the way has gone
    monkeypatch.undo()

    with pytest.raises(CommitError, match=BARRED) as caught:
        sends.add(ONE, Send(6, {"topic": "t"}))
    assert ({ONE: 5}, {ONE: []}, str(caught.value)) == sends.together(lambda: {ONE: 100})
    sends.read_again(ONE, 5)
    assert sends.add(ONE, Send(5, {"topic": "t"}))
    assert [5] == offsets(sends)
    assert ({ONE: 100}, None) == sends.together(lambda: {ONE: 100})[::2]


def test_whoever_skips_a_message_that_is_barred_is_done_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What of its effects was kept before does not count alone, nor that of messages behind it."""
    sends = kept(3, 5, 7)
    monkeypatch.setattr(module, "_FULL", 0)
    with pytest.raises(CommitError, match="no room"):
        sends.add(ONE, Send(5, {"topic": "t"}), "no room")
    monkeypatch.undo()
    sends.read_again(ONE, 8)  # as after a pause: nobody has skipped it
    with pytest.raises(CommitError, match=BARRED):
        sends.add(ONE, Send(8, {"topic": "t"}))
    sends.skip(ONE)

    assert sends.add(ONE, Send(8, {"topic": "t"}))
    assert [3, 8] == offsets(sends)


def test_what_is_too_late_keeps_back_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message was committed without it."""
    sends = kept(3)
    assert [3] == offsets(sends, 5)
    monkeypatch.setattr(module, "_FULL", 0)

    assert not sends.add(ONE, Send(4, {"topic": "t"}), "no room")
    assert ({ONE: 100}, None) == sends.together(lambda: {ONE: 100})[::2]


def test_headers_count_as_much_as_values() -> None:
    """Events may have nothing else."""
    more = {"headers": [("schema", bytes(200_000_000))]}
    sends = Sends()
    sends.add(ONE, Send(3, {"topic": "t", "value": None, **more}))

    assert sends.is_full
    sends.written(ONE, 4)
    assert not sends.is_full
