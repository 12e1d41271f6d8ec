"""The clock of a producer's own table: nobody sets it."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from tests.builders.application import until
from trimtab import BrokerSelector
from trimtab.faults import ROCKETMQ_5, FaultTable
from trimtab.sending import confluent, kafka_python
from trimtab.sending.contract import Place, Sender
from trimtab.sending.dispatch import Leaders
from trimtab.sending.patience import Patience


@pytest.mark.parametrize("library", [confluent, kafka_python], ids=["confluent", "kafka-python"])
def test_a_clock_that_is_set_back_keeps_no_broker_out(
    library: Any,  # noqa: ANN401 - a module, which has no type of its own
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was slow, and is out for a moment: not for as long as the clock is set back."""
    nobody = SimpleNamespace(
        flush=lambda _: None, close=lambda _: None, _sender=SimpleNamespace(force_close=bool)
    )
    monkeypatch.setattr(kafka_python, "connected", lambda *_: nobody)
    table = FaultTable(ROCKETMQ_5.with_ladder([50], [200]))
    sender: Sender = library.make_sender(
        Place("127.0.0.1:1", {}), BrokerSelector(table=table), Patience.of(30_000, 3)
    )

    def dealt() -> set[int]:
        return {sender.dispatch.turns["t"]()[0] for _ in range(2)}

    sender.dispatch.learn("t", Leaders(["1", "2"], {}), 0)
    slow = sender.dispatch.times_of("t", 0)
    assert slow is not None
    slow.note(0.1)
    sender.start()
    until(lambda: dealt() == {1})
    now_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() - 3_600_000_000_000)
    until(lambda: dealt() == {0, 1})
    sender.close(0.0)
    sender.disconnect()
