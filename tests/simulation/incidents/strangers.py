"""What strangers write: claims, forgeries, stale releases and garbage."""

import json
from random import Random
from typing import TYPE_CHECKING, Any

from rebalance.ids import BrokerName, Queue, TopicName
from tests.simulation.incidents.choices import KEY, NO_NAMES, victim_of
from tests.simulation.rules import first_life
from tests.simulation.scenario import SESSION_MS
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    Beat,
    GrantRef,
    Join,
    Release,
    ReleaseRef,
    Topic,
    encode,
)

if TYPE_CHECKING:
    from tests.simulation.world import World

_FAR = 10_000
"""Epochs that no life of a group comes to."""


def claim(world: "World", dice: Random) -> None:
    """A member that works on nothing claims queues, and lets go what it never had.

    Only not what it is promised by then, or may be next: who may begin is believed; tokens tell if
    it lies.
    """
    world.born += 1
    name, life, number = f"liar{world.born}", first_life(world.now, world.born), 0
    join = Join(
        member=name,
        incarnation=life,
        sequence=1,
        topics=tuple(world.driver.topics),
        session_timeout_ms=SESSION_MS,
    )
    world.broker.append(MEMBERS, KEY, encode(join), world.now)

    def lie(times: int) -> None:
        nonlocal number
        number += 2
        drawn = world.brain.state.epoch
        topic = dice.choice(list(world.driver.topics))
        epoch = dice.randint(1, drawn + 1)
        epoch += _FAR if epoch > drawn else 0
        row = (topic, "", dice.randint(0, 3), epoch)
        if times:
            world.later(dice.choice([400, 1_000]), lambda: lie(times - 1))
        if _is_promised(world, name, row):
            return
        beat = Beat(
            member=name,
            incarnation=life,
            sequence=number,
            epoch=world.brain.state.epoch,
            owned=(GrantRef(*row),),
        )
        release = Release(
            member=name, incarnation=life, sequence=number + 1, queues=(ReleaseRef(*row, None),)
        )
        world.broker.append(HEARTBEATS, KEY, encode(beat), world.now)
        world.broker.append(RELEASES, KEY, encode(release), world.now)
        world.faults.occurred("C9")

    lie(6)


def _is_promised(world: "World", name: str, row: tuple[str, str, int, int]) -> bool:
    topic, broker, number, epoch = row
    page = world.brain.state.handover.books.get(Queue(TopicName(topic), BrokerName(broker), number))
    return page is not None and (name, epoch) in {(it.member, it.epoch) for it in page.heirs}


def forge(world: "World", dice: Random) -> None:
    """Somebody beats in the name of another."""
    victim = victim_of(world, dice)
    if victim is None or victim.session.phase != "joined":
        return
    life, _ = victim.worker
    for ahead in range(dice.randint(1, 4)):
        beat = Beat(
            member=life.member,
            incarnation=life.incarnation,
            sequence=dice.randint(1, 60) + ahead,
            epoch=victim.session.epoch,
        )
        world.broker.append(HEARTBEATS, KEY, encode(beat), world.now)
    world.faults.occurred("G11")


def stale_release(world: "World", dice: Random) -> None:
    """An old release of a queue that is held again, under a newer epoch, arrives late."""
    victim = victim_of(world, dice)
    if victim is None or not victim.working:
        return
    grant, (life, _) = dice.choice(list(victim.working.values()))
    if grant.token > 1:
        epoch = dice.randint(max(1, grant.token - 3), grant.token - 1)
        release = Release(
            member=life.member,
            incarnation=life.incarnation,
            sequence=1,
            queues=(ReleaseRef(*grant.queue, epoch, None),),
        )
        world.broker.append(RELEASES, KEY, encode(release), world.now)
        world.faults.occurred("C7")


def glut(world: "World", dice: Random) -> None:
    """Somebody beats with 50,000 queues, or with 5 MB; no member does, so it is a stranger."""
    victim = victim_of(world, dice)
    if victim is None:
        return
    (life, _), topic = victim.worker, dice.choice(list(world.driver.topics))
    owned = (GrantRef(topic, "", 0, 1),)
    beat = Beat(
        member=life.member, incarnation=life.incarnation, sequence=10_000, epoch=1, owned=owned
    )
    if dice.random() < 0.5:
        said = json.loads(encode(beat))
        said["owned"] *= 50_000
        value = json.dumps(said, separators=(",", ":")).encode()
        world.broker.append(HEARTBEATS, KEY, value, world.now)
    else:
        world.broker.append(HEARTBEATS, KEY, encode(beat), world.now, size=5_000_000)
    world.faults.occurred("C20")


def ill_named(world: "World", dice: Random) -> None:
    """Somebody wants to join under a name that is none, or wants a topic of no name."""
    life = first_life(world.now, world.born)
    said = json.loads(encode(Join(member="m", incarnation=life, sequence=1, topics=("orders",))))
    name = dice.choice(NO_NAMES)
    said |= dice.choice([{"member": name}, {"topics": [name]}, {"instance": name}])
    world.broker.append(MEMBERS, KEY, json.dumps(said).encode(), world.now)
    world.faults.occurred("C21")


def poison(world: "World", dice: Random) -> None:
    """Records that nobody can read."""
    topics: list[Topic[Any]] = [MEMBERS, HEARTBEATS, RELEASES, ROUTES]
    topic = dice.choice(topics)
    value = dice.choice([b"", b"{", b"[]", b'{"v": 2}', b'{"v": 1, "kind": "x"}', None])
    world.broker.append(topic, dice.choice([KEY, b"\xff", b"$tock"]), value, world.now)
    world.faults.occurred("A11")
