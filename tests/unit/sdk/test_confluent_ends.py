"""Asking Kafka where the log ends."""

import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from confluent_kafka import TopicPartition, admin

from tests.builders.half_written import HalfWritten
from trimtab.transports.confluent_ends import EndFinder, Unanswered

PATIENCE_S = 3.0
"""Of one question: more than two others need to be asked, on a busy machine as well."""


class Answering(admin.AdminClient):
    """A client of its own kind, but that its answers are there at once, or those of later ones."""

    made = 0
    mute = 0
    asked: ClassVar[list[Future[SimpleNamespace]]] = []

    def __init__(self, settings: dict[str, Any]) -> None:
        Answering.made += 1
        super().__init__(settings)

    def list_offsets(  # type: ignore[override]  # only as it is used
        self, asked: Mapping[TopicPartition, object], **_: object
    ) -> dict[Any, Any]:
        """Say that all of them end at seven."""
        answer = Future[SimpleNamespace]()
        Answering.asked.append(answer)
        if Answering.made > Answering.mute:
            answer.set_result(SimpleNamespace(offset=7))
        return dict.fromkeys(asked, answer)


@pytest.fixture
def finder(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndFinder]:
    """One whose clients connect to a Kafka that says nothing."""
    known = SimpleNamespace(AdminClient=Answering)
    monkeypatch.setattr("trimtab.transports.confluent_ends.admin", known)
    monkeypatch.setattr(Answering, "made", 0)
    monkeypatch.setattr(Answering, "mute", 0)
    monkeypatch.setattr(Answering, "asked", [])
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        yield EndFinder({"bootstrap.servers": address}, PATIENCE_S)


def test_who_was_prepared_is_asked(finder: EndFinder) -> None:
    """It has connected meanwhile, or has had its time to."""
    finder.prepare()

    assert {("releases", 0): 7} == finder.find([("releases", 0)])
    assert 1 == Answering.made


def test_who_has_answered_is_asked_again(finder: EndFinder) -> None:
    """A new client has to connect first. One that has nothing to do is falsy: its length is 0."""
    for at in range(3):
        finder.ask(at, [("releases", 0)])
        ends = finder.answer()
        assert ends is not None
        assert (at, {("releases", 0): 7}) == (ends.at, ends.offsets)

    assert 1 == Answering.made


@pytest.mark.slow
def test_who_starts_does_not_wait_for_one_client(
    finder: EndFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in sixteen first answers took three seconds, and so did the join of that member."""
    monkeypatch.setattr(Answering, "mute", 2)

    assert {("releases", 0): 7} == finder.find([("releases", 0)])
    assert 3 == Answering.made


@pytest.mark.slow
def test_a_late_answer_to_who_started_is_not_taken_for_the_next_one(
    finder: EndFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says where the log ended before that was asked."""
    monkeypatch.setattr(Answering, "mute", 1)
    finder.find([("releases", 0)])
    monkeypatch.setattr(Answering, "mute", 99)
    Answering.made = 0
    finder.prepare()  # one that says nothing
    finder.ask(5, [("releases", 0)])

    Answering.asked[0].set_result(SimpleNamespace(offset=3))

    assert finder.answer() is None


def test_a_client_that_cannot_be_made_is_no_answer(
    finder: EndFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who replaces the files of a certificate writes two: it is told, and the next one answers."""
    made = HalfWritten(Answering)
    made({})  # so the next one is the second
    monkeypatch.setattr(
        "trimtab.transports.confluent_ends.admin", SimpleNamespace(AdminClient=made)
    )
    finder.ask(0, [("releases", 0)])
    with pytest.raises(Unanswered, match="key values mismatch"):
        finder.answer()
    finder.ask(1, [("releases", 0)])
    ends = finder.answer()

    assert ends is not None
    assert 1 == ends.at


@pytest.mark.slow
def test_who_starts_where_nobody_answers_is_told(
    finder: EndFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it says so, and tries again."""
    monkeypatch.setattr(Answering, "mute", 99)
    with pytest.raises(Unanswered):
        finder.find([("releases", 0)])
