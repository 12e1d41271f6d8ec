"""Of two controllers the younger one goes on, and the log says which one that is."""

import pytest

from streaming.startup.supersession import Superseded, give_way
from streaming.topics import inlets
from streaming.wire.decoding import Decoder
from streaming.wire.rows import Row
from tests.builders.log import PREFIX, Log
from trimtab.protocol import HEARTBEATS, ROUTES, START_KEY, TICK_KEY

DECODER = Decoder(inlets(PREFIX), 4)
STARTS = (7, 7, 7, 7)


def start(offset: int) -> Row:
    """Somebody says in partition 2 that it starts."""
    row = Log().append(ROUTES, START_KEY, b"whatever", at=5, partition=2)
    return row._replace(offset=offset)


def test_a_start_that_is_older_or_its_own_stops_nobody() -> None:
    """A batch that is repeated after a restart may hold what earlier controllers said."""
    give_way([start(6), start(7)], DECODER, STARTS)


def test_a_younger_start_stops_it_before_it_decides() -> None:
    """Whatever else is in the batch is for the younger one to decide."""
    tick = Log().append(HEARTBEATS, TICK_KEY, b"", at=5, partition=2)

    with pytest.raises(Superseded, match=r"another controller has taken over: .*routes/2@8"):
        give_way([tick, start(8)], DECODER, STARTS)


def test_whoever_never_said_that_it_starts_is_stopped_by_nobody() -> None:
    """A bench folds without being a controller."""
    give_way([start(8)], DECODER, ())
