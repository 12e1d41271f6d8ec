"""Lists: a name that nothing has is refused, and is no empty answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from console.commands import queues, top
from console.errors import Failure
from console.output import Remark
from console.published import Published
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import publishes
from tests.unit.console.views.published_records import assignment, group, hold, verdict
from trimtab.protocol import Record, Tick, member_key

OK, NOT_FOUND = 0, 4
RECORDS: dict[str, list[tuple[bytes, Record]]] = {
    "groups": [(b"billing", group("a", "idle"))],
    "assignments": [(member_key("billing", "a"), assignment("a", hold=(hold(0, 2),)))],
    "brokers": [(b"east/a", verdict())],
}


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    """One group with two members, one broker, and no dead letter."""
    publishes(monkeypatch, RECORDS)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "queues list billing --owner idel",
            "trimtab: there is no member of billing idel; there is idle",
        ),
        ("brokers list --cluster esat", "trimtab: there is no cluster esat; there is east"),
        (
            "deadletters list --reason invlid",
            "trimtab: there is no reason invlid; there is invalid",
        ),
    ],
    ids=["a member", "a cluster", "a reason"],
)
@pytest.mark.parametrize("output", ["table", "json"])
def test_a_name_that_nothing_has_is_refused(run: Run, asked: str, said: str, output: str) -> None:
    """An empty answer to a typo says that nothing is the matter."""
    code, out, err = run(*asked.split(), "-o", output)

    assert (NOT_FOUND, "", said) == (code, out, err.splitlines()[0])


@pytest.mark.parametrize(
    "asked",
    [
        "queues list billing --owner idle",
        "queues list billing --owner a --state moving",
        "brokers list --cluster east",
        "deadletters list --reason invalid",
    ],
)
def test_where_the_name_is_right_an_empty_answer_is_one(run: Run, asked: str) -> None:
    """A member may have no queues, and no record may be invalid."""
    assert OK == run(*asked.split())[0]


def test_a_group_s_counts_and_its_lists_have_names_of_their_own(run: Run) -> None:
    """A script that reads a number must not find a list there."""
    code, out, _ = run("groups", "describe", "billing", "-o", "json")
    told = json.loads(out)

    assert (OK, 2, 1) == (code, told["member_count"], told["topic_count"])
    assert ["a", "idle"] == [it["member"] for it in told["members"]]
    assert ["orders"] == [it["topic"] for it in told["topics"]]


@pytest.mark.parametrize(
    "asked",
    [
        "groups list",
        "groups describe billing",
        "queues list billing",
        "members list",
        "members list billing",
        "brokers list",
        "groups explain billing",
        "groups explain billing orders-0",
        "groups history billing",
        "brokers explain a --cluster east",
        "brokers history --cluster east",
    ],
)
def test_who_looks_is_told_that_no_controller_is_at_work(run: Run, asked: str) -> None:
    """A table looks the same however old it is."""
    code, _, err = run(*asked.split())

    assert (OK, 1) == (code, err.count("no controller is at work here (none ever was)"))


def test_who_watches_lags_is_told_which_are_not_known(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While they are not: a cell without a figure means that nobody has committed."""
    whys, seen = [["no right"], ["it has no leader", "no right"], []], list[Remark | None]()

    def looks_twice(draw: Callable[[], object], *_: object, remarks: Any, **__: object) -> None:  # noqa: ANN401 - as watched
        for _look in range(2):
            draw()
            seen.append(remarks()[-1])

    def lags(*asked: Any) -> dict[object, object]:  # noqa: ANN401 - as lags
        for why in whys.pop(0):
            asked[-1](why)
        return {}

    monkeypatch.setattr("console.lags.lags", lags)
    assert "no right\n" in run("queues", "list", "billing", "--lag")[2]

    monkeypatch.setattr(queues, "watched", looks_twice)
    run("queues", "list", "billing", "--lag", "--watch")

    assert [Remark(said := "it has no leader, no right", said), None] == seen


@pytest.mark.parametrize("live", [True, False], ids=["live", "once"])
def test_top_says_that_no_controller_is_at_work(
    run: Run, monkeypatch: pytest.MonkeyPatch, *, live: bool
) -> None:
    """By what controllers say, like every view; ticks may look young where a clock is behind."""
    remarks = list[Remark | None]()
    monkeypatch.setattr("console.pulse.ends", lambda *_: {})
    monkeypatch.setattr("console.pulse.time", Hasty())
    monkeypatch.setattr(top, "is_drawable", lambda: live)
    monkeypatch.setattr(top, "watched", lambda *_, **it: remarks.extend(it["remarks"]()))
    code, _, err = run("top")

    said = [it for it in (*[it and it.text for it in remarks], err) if it is not None]
    assert OK == code
    assert all("no controller is at work here (none ever was)" in it for it in said)
    assert 2 == len(said)


@pytest.mark.parametrize("quiet", [(), ("-q",)], ids=["said", "quiet"])
@pytest.mark.parametrize(
    "asked",
    [
        "groups list",
        "members list",
        "top",
        "brokers list",
        "brokers explain a --cluster east",
        "deadletters list",
    ],
)
def test_what_cannot_be_read_is_missed(
    run: Run, monkeypatch: pytest.MonkeyPatch, asked: str, quiet: tuple[str, ...]
) -> None:
    """A newer controller, or a stranger, has written it: the list is not all that there is."""
    monkeypatch.setattr("console.pulse.ends", lambda *_: {})
    monkeypatch.setattr("console.pulse.time", Hasty())
    for topic, whole in [*RECORDS.items(), ("deadletters", [])]:
        monkeypatch.setitem(RECORDS, topic, [*whole, (b"x/y", Tick(controller="c", number=1))])
    code, _, err = run(*quiet, *asked.split())

    assert (OK, 1) == (code, err.count("cannot be read by this release"))


class Hasty:
    """A clock for those who have no time."""

    def sleep(self, _: float) -> None:
        """Do not wait."""


def test_who_may_not_look_at_controllers_still_sees_groups(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who reads `groups` needs a right on that alone, and is told what remains unknown."""

    def refused(_: Published) -> None:
        raise Failure("no right to read the topic trimtab.controllers")

    monkeypatch.setattr(Published, "controllers", refused)
    code, out, err = run("groups", "list")

    assert (OK, True) == (code, "billing" in out)
    assert "whether a controller is at work is not known: no right" in err.replace("\n", " ")
