"""The asyncio member: the same, with callbacks on the loop."""

import asyncio
import threading

import pytest

from tests.builders.application import releases
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from trimtab import Grant, QueueRef
from trimtab.aio import Member
from trimtab.protocol import ReleaseRef

ONE = Grant(queue(), 1)


async def play(kafka: MemoryTransport) -> list[tuple[str, int, object]]:
    """Get a queue, give it up, and leave; return what was told, and on which thread."""
    heard: list[tuple[str, int, object]] = []

    def on_assigned(grants: tuple[Grant, ...]) -> None:
        heard.append(("assigned", threading.get_ident(), grants))

    async def on_revoked(grants: tuple[Grant, ...]) -> dict[QueueRef, int | None]:
        await asyncio.sleep(0.001)
        heard.append(("revoked", threading.get_ident(), grants))
        return {queue(): 42}

    async with Member(
        group=GROUP,
        topics=["orders"],
        member_id="m",
        transport=kafka,
        on_assigned=on_assigned,
        on_revoked=on_revoked,
    ) as member:
        await asyncio.to_thread(kafka.assign, 1, hold=[(0, 1)])
        await member.wait_until(lambda it: it.assignment and heard, "5s")
        heard.append((member.state, threading.get_ident(), member.assignment))
        kafka.assign(2, give=[(0, 1)])
        member.leave()
        heard.append(("left", threading.get_ident(), await member.stop()))
    assert (None, False, "m") == (member.failure, member.holds(ONE), member.profile.member)
    return heard


def test_callbacks_run_on_the_loop_and_may_be_coroutines() -> None:
    """Neither they nor the waiting block it."""
    kafka = MemoryTransport()
    heard = asyncio.run(play(kafka))

    here = threading.get_ident()
    expected = [
        ("assigned", here, (ONE,)),
        ("joined", here, (ONE,)),
        ("revoked", here, (ONE,)),
        ("left", here, True),
    ]
    assert expected == heard
    assert [(ReleaseRef(*queue(), 1, 42),)] == [release.queues for release in releases(kafka)]


async def leave_at_once(kafka: MemoryTransport) -> list[object]:
    """Stop in the middle of a callback; return what was told, and what it was answered."""
    heard: list[object] = []

    async def on_assigned(grants: tuple[Grant, ...]) -> None:
        heard.extend([grants, await member.stop()])

    async with Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=on_assigned,
        on_revoked=heard.append,
    ) as member:
        await asyncio.to_thread(kafka.assign, 1, hold=[(0, 1)])
        await member.wait_until(lambda _: False in heard, "5s")
        kafka.assign(2, give=[(0, 1)])
        heard.append(await member.stop())
    return heard


def test_a_callback_that_stops_its_member_does_not_wait() -> None:
    """Or nothing could be handed over while it waits."""
    heard = asyncio.run(leave_at_once(MemoryTransport()))

    assert [(ONE,), False, (ONE,), True] == heard


async def give_up_waiting(kafka: MemoryTransport) -> set[threading.Thread]:
    """Wait in vain, twice; return the threads that are left, but for the loop's own."""
    before = {*threading.enumerate()}
    async with Member(group=GROUP, topics=["orders"], transport=kafka) as member:
        with_member = {*threading.enumerate()}
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(member.wait_until(lambda _: False, "24h"), 0.01)
        assert {*threading.enumerate()} == with_member
    return {it for it in threading.enumerate() if not it.name.startswith("asyncio")} - before


def test_who_gives_up_waiting_leaves_no_thread() -> None:
    """Python would wait for it at the end of the loop, and of the process."""
    assert set() == asyncio.run(give_up_waiting(MemoryTransport()))
