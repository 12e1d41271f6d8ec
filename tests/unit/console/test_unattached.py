"""Who takes part in a group of RocketMQ's, and does not ask the controller."""

from collections.abc import Mapping

import pytest

from console.settings import load
from console.unattached import unattached
from streaming.feeds import consumer_lists
from tests.builders.sessions import assignment
from trimtab.protocol import Assignment, HolderRef
from trimtab.protocol.rocketmq import Registration

OLD = Registration(client="10.0.0.7@old", group="billing", topics=frozenset(), mode="clustering")


def said(member: str, incarnation: str = "1767225600000-00000001") -> Assignment:
    """What a member works on, at a broker of RocketMQ's."""
    told = assignment(1, member=member, incarnation=incarnation)
    return told.model_copy(update={"hold": (HolderRef("orders", "broker-a", 0, 1),)})


def others(monkeypatch: pytest.MonkeyPatch, *members: Assignment) -> Mapping[str, frozenset[str]]:
    """Those beside these members; its brokers know one that is attached, and an old one."""
    known = {"billing": frozenset({"10.0.0.1@new", OLD.client})}
    monkeypatch.setattr(consumer_lists, "clients", lambda *_: known)
    keys = ["kafka.bootstrap_servers=k:1", "routes.name_servers=names-1:9876"]
    return unattached(load(key_values=keys, environment={}).settings, {"billing": members})


def test_an_old_one_is_named_whether_or_not_its_heartbeats_are_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By these it is a member, and it works as its broker says all the same."""
    new, old = said("10.0.0.1@new"), said(OLD.client, OLD.incarnation)

    assert {"billing": {OLD.client}} == others(monkeypatch, new)
    assert {"billing": {OLD.client}} == others(monkeypatch, new, old)


def test_where_all_heartbeats_are_copied_only_strangers_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hook of their brokers may have them do as the controller says."""
    old = said(OLD.client, OLD.incarnation)

    assert {"billing": {"10.0.0.1@new"}} == others(monkeypatch, old)
