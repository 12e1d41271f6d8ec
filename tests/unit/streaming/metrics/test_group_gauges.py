"""What the last summaries say."""

from typing import Any

import pytest

from streaming.metrics.catalogue import Metrics
from streaming.metrics.families import MOST_SERIES
from streaming.metrics.group_gauges import ACTIVE, GroupGauges, Totals
from trimtab.protocol import Group

PERSON: dict[str, Any] = {"member": "a", "hold": 0, "give": 0, "inherit": 0, "draining": False}


def group(name: str, *people: dict[str, Any], **fields: object) -> Group:
    """A group's summary."""
    return Group.model_validate(
        {
            "group": name,
            "state": "stable",
            "epoch": 4,
            "group_epoch": 4,
            "target_epoch": 4,
            "strategy": "AVG",
            "members": len(people),
            "queues": {"assigned": 8, "moving": 1, "unassigned": 2},
            "topics": {},
            "at_ms": 1,
            "cause": {"kind": "join"},
            "people": [PERSON | it for it in people],
            **fields,
        },
        strict=False,
    )


def test_a_summary_sets_the_gauges_of_its_group() -> None:
    """Members by their states, each once; queues; how even it is."""
    metrics = Metrics()
    people = ({"hold": 6}, {"hold": 2, "draining": True, "held": True}, {"hold": 1})
    GroupGauges(metrics).note(group("billing", *people))
    shown = metrics.groups

    states = {it: shown.members.value("billing", it) for it in (ACTIVE, "draining", "held")}
    assert {ACTIVE: 2, "draining": 1, "held": 0} == states
    assert 8 == shown.queues.value("billing", "assigned")
    assert 4 == shown.epoch.value("billing")
    assert 2 == shown.imbalance.value("billing")
    assert 1 == shown.groups.value("stable")


def test_an_empty_group_keeps_its_series_and_a_withdrawn_one_has_none() -> None:
    """Series that vanish with the members hide that these have gone."""
    metrics = Metrics()
    gauges = GroupGauges(metrics)
    gauges.note(group("billing", {}))
    gauges.note(group("billing", state="empty"))

    assert 'trimtab_group_members{group="billing",state="active"} 0' in metrics.text()
    assert (0, 1) == (metrics.groups.groups.value("stable"), metrics.groups.groups.value("empty"))

    gauges.gone("billing")
    gauges.gone("billing")
    assert "billing" not in metrics.text()
    assert 0 == metrics.groups.groups.total()


def test_a_group_ails_until_it_says_otherwise() -> None:
    """An alert that ends by itself while nothing is decided would hide that."""
    metrics = Metrics()
    gauges, ailing = GroupGauges(metrics), metrics.groups.ailing
    assert "trimtab_ailing_groups 0" in metrics.text()
    for _ in range(2):
        gauges.note(group("billing", {}, ailment="ValueError: no rack is called north"))
        gauges.note(group("shipping", {}, ailment="ValueError: no rack is called north"))
        assert 2 == ailing.value()
    gauges.gone("shipping")
    gauges.note(group("billing", {}))

    assert 0 == ailing.value()


def test_a_paused_group_says_so_while_it_is() -> None:
    """What is held there waits for the end of the pause, however few it are."""
    metrics = Metrics()
    gauges, paused = GroupGauges(metrics), metrics.groups.paused
    gauges.note(group("billing", {"held": True}, paused=True))
    assert {("billing",): 1} == paused.values()
    gauges.note(group("billing", {}))

    assert {} == paused.values()


def test_names_that_were_used_once_hide_no_group_that_works() -> None:
    """Of them there are very many in years; what has members has its series all the same."""
    metrics, nothing = Metrics(), {"assigned": 0, "moving": 0, "unassigned": 0}
    gauges = GroupGauges(metrics)
    for number in range(MOST_SERIES + 10):
        gauges.note(group(f"once-{number}", state="empty", queues=nothing))
    gauges.note(group("billing", {"held": True}))
    shown = metrics.groups

    assert 1 == shown.members.value("billing", "held")
    assert 2 == shown.queues.value("billing", "unassigned")
    assert len(shown.members.values()) <= MOST_SERIES
    assert MOST_SERIES + 10 == shown.groups.value("empty")


@pytest.mark.parametrize("state", ["starved", "reconciling", "assigning"])
def test_starved_groups_without_series_are_counted(state: str) -> None:
    """Whoever has series is alerted on by name; nobody else is missed because others move."""
    metrics = Metrics()
    gauges, unnamed = GroupGauges(metrics), metrics.groups.unnamed
    full = {"assigned": 10, "moving": 1, "unassigned": 0}
    assert "trimtab_unnamed_starved_groups 0" in metrics.text()
    for number in range(MOST_SERIES):
        gauges.note(group(f"at-work-{number}", {}, queues=full))
    gauges.note(group("at-work-0", {}, state=state))
    for _ in range(2):
        gauges.note(group("billing", {}, state=state))
        gauges.note(group("shipping", {}, state=state))
        assert 2 == unnamed.value()
    gauges.note(group("billing", {}, queues=full))
    gauges.gone("shipping")

    assert 0 == unnamed.value()


@pytest.mark.parametrize("again", [1, 3])
def test_totals_are_of_all_groups(again: int) -> None:
    """However often one is said."""
    gauges = GroupGauges(Metrics())
    for _ in range(again):
        gauges.note(group("a", {}, {}))
        gauges.note(group("b", {}))

    assert Totals(groups=2, members=3, queues=22, unassigned=4) == gauges.totals()
