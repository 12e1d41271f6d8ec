"""What the log says of decisions."""

from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from streaming.metrics.history_log import A_SECOND, BURST, HistoryLog, line_of
from streaming.metrics.tally import Tally
from trimtab.protocol import DEADLETTERS, HISTORY

MEMBER = {"kind": "member", "group": "g", "member": "a", "event": "expired"}


class Clock:
    """A clock that stands still."""

    now = 0.0

    def __call__(self) -> float:
        """Read it."""
        return self.now


def examples() -> list[dict[str, Any]]:
    """An example of each kind of entry that the log may be told of, from the contract."""
    models = (*HISTORY.models, *DEADLETTERS.models)
    schemas = [model.model_json_schema()["examples"][0] for model in models]
    silent = ("handover", "grant", "left_out", "doubled")
    return [it for it in schemas if it["kind"] not in silent]


@pytest.mark.parametrize("entry", examples(), ids=lambda it: str(it["kind"]))
def test_every_entry_has_a_line(entry: dict[str, Any]) -> None:
    """With whom it is about, and why."""
    line = line_of(entry)

    assert "{" not in line.event
    assert {"group", "subject", "broker", "topic"} & line.fields.keys()
    if "cause" in entry:
        assert str(line.fields["cause"]).startswith(entry["cause"]["kind"])


def test_good_news_is_no_warning() -> None:
    """A broker that is fit again, and a group whose decisions work again."""
    fit = line_of({"kind": "verdict", "available": True, "broker": "a"})
    well = line_of({"kind": "ailment", "subject": "g"})

    assert [("broker is fit", False), ("decisions work again", False)] == [
        (it.event, it.warns) for it in (fit, well)
    ]


def test_an_ejection_is_a_warning_once() -> None:
    """A panic that begins or ends says it again; it is no other one."""
    out = {"kind": "verdict", "cluster": "east", "broker": "a", "available": False, "since_ms": 7}
    with capture_logs() as lines:
        history = HistoryLog(structlog.get_logger(), Clock())
        history.tell([Tally(told=[out, out | {"panic": True}, out, out | {"since_ms": 9}])])

    known = ("broker is still out of use", "info")
    new = ("broker is out of use", "warning")
    assert [new, known, known, new] == [(it["event"], it["log_level"]) for it in lines]


def test_a_storm_is_cut_and_counted() -> None:
    """So many lines at once, then so many a second; the rest is summed up once a minute."""
    clock, log = Clock(), structlog.get_logger()
    with capture_logs() as lines:
        history = HistoryLog(log, clock)
        history.tell([Tally(told=[MEMBER] * (BURST + 7), untold=100)])
        assert BURST == len(lines)
        assert {"event": "member expired", "group": "g", "member": "a", "log_level": "info"} == (
            lines[0]
        )
        clock.now = 2
        history.tell([Tally(told=[MEMBER] * BURST)])
        assert BURST + 2 * A_SECOND == len(lines)
        history.sum_up()
        history.sum_up()

    assert {"count": 7 + 100 + BURST - 2 * A_SECOND} == {"count": lines[-1]["count"]}
    assert 1 == sum("were skipped" in it["event"] for it in lines)


def test_dead_letters_are_summed_up() -> None:
    """By topic and reason; without any nothing is said."""
    with capture_logs() as lines:
        history = HistoryLog(structlog.get_logger(), Clock())
        history.sum_up()
        history.tell([Tally(letters=[("members", "garbage", 3, 3)])] * 2)
        history.sum_up()

    (line,) = lines
    assert (6, {"members: garbage": 6}) == (line["count"], line["of"])
