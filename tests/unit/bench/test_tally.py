"""The floor's state function: it counts, echoes what is urgent, and does no more."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql.streaming.state import GroupState

from bench.floor.tally import Tally
from streaming.wire.rows import Row

TALLY = Tally("floor.heartbeats", "floor.assignments")


class Remembered(GroupState):
    """Spark's state handle, holding what was last put into it."""

    def __init__(self) -> None:
        self.value: tuple[bytes] | None = None

    @property
    def exists(self) -> bool:
        """Say whether there is a state."""
        return self.value is not None

    @property
    def get(self) -> tuple[bytes]:
        """Return it."""
        assert self.value is not None
        return self.value

    def update(self, newValue: tuple[bytes]) -> None:  # noqa: N803 - Spark's name
        """Replace it."""
        self.value = newValue


def frames(*topics: str) -> Iterator[pd.DataFrame]:
    """One frame with a record of each topic."""
    rows = [Row(topic, 3, offset, 0, b"host/v", b"{}", 2) for offset, topic in enumerate(topics)]
    yield pd.DataFrame(rows, columns=list(Row._fields))


def test_it_echoes_what_is_urgent() -> None:
    """One record for each urgent one, in the same partition and under the same key."""
    (echo,) = TALLY((0,), frames("floor.members", "floor.heartbeats"), Remembered())
    assert [["floor.assignments", 3, b"host/v", b"{}", None]] == echo.to_numpy().tolist()


def test_it_is_silent_on_what_is_routine() -> None:
    """Beats and ticks are counted and answered by nothing, as trimtab does."""
    assert [] == list(TALLY((0,), frames("floor.heartbeats"), Remembered()))


def test_it_counts_all_rows() -> None:
    """Its state grows by each row of each batch."""
    state = Remembered()
    for topics in (("floor.members", "floor.heartbeats"), ("floor.heartbeats",)):
        list(TALLY((0,), frames(*topics), state))
    assert ((3).to_bytes(8, "big"),) == state.value
