"""What is committed where a log was cut, or is another one: where it is read, as Kafka's own do."""

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import Grant
from trimtab.consuming.contract import Ends


def at_a_thousand(*, manual: bool = False) -> tuple[InMemory, Grant]:
    """All is committed up to there."""
    reading = InMemory(manual=manual)
    grant = reading.grant(1, 998)
    reading.offer(998, 999)
    reading.parts.commit([reading.taken(), reading.taken()])
    reading.take(0.0)
    return reading, grant


def cut(reading: InMemory, length: int) -> None:
    """An election loses the end of the log: what is asked for next is not there."""
    reading.kafka.astray.add(queue())
    reading.kafka.length = length
    reading.upkeep.look()


def handle(reading: InMemory, count: int) -> None:
    """Take so many of the new log, and come back from the last."""
    reading.offer(*range(count))
    last = [reading.taken() for _ in range(count)][-1]
    reading.take(0.0)
    if reading.intake.manual:
        assert reading.parts.commit([last])


@pytest.mark.parametrize("manual", [True, False])
def test_whoever_begins_after_a_log_was_cut_begins_where_it_was_read(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """At the old offset it would skip what producers have written since, up to there."""
    reading, grant = at_a_thousand(manual=manual)
    cut(reading, 500)
    handle(reading, 300)
    assert reading.upkeep.commit()
    positions = reading.handover.on_revoked((grant,))

    assert (300, {queue(): 300}) == (reading.committed()[-1], positions)


def test_what_was_on_its_way_when_the_log_was_cut_does_not_count() -> None:
    """Kafka may take it late, and its answer comes when others are known already."""
    reading, grant = at_a_thousand()
    cut(reading, 500)
    reading.intake.heard({grant: 1_000})
    handle(reading, 300)
    reading.upkeep.commit()
    reading.intake.heard({grant: 300})
    reading.parts.seek(queue(), 0)
    reading.upkeep.commit()

    assert 300 == reading.committed()[-1]


@pytest.mark.parametrize(("committed", "length"), [(1_000, 1_000), (400, 500)])
def test_what_the_log_still_has_is_not_committed_again(committed: int, length: int) -> None:
    """An application may seek beyond the end of a log that is as long as ever."""
    reading, grant = at_a_thousand()
    reading.kafka.written = [{queue(): committed}]
    reading.parts.seek(queue(), 5_000)
    cut(reading, length)
    handle(reading, 300)
    reading.upkeep.commit()
    positions = reading.handover.on_revoked((grant,))

    assert ([committed], {queue(): 300}) == (reading.committed(), positions)


def test_it_waits_until_it_is_known_where_a_cut_log_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody could tell which commits are the old log's."""
    reading, _ = at_a_thousand()
    with monkeypatch.context() as silent:
        silent.setattr(reading.intake.offsets, "latest", lambda _: Ends({}))
        cut(reading, 500)

    assert {queue()} == reading.kafka.astray
