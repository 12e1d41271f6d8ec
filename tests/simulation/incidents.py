"""What happens: one small function for each kind of incident.

Each gets the world and its own dice, picks its victim among those who are there, and counts the
fault at the moment it takes effect. An incident that finds nobody does nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

from tests.simulation.process import Process
from tests.simulation.rules import GROUP
from tests.simulation.scenario import SESSION_MS, Kind
from trimtab.protocol import (
    COMMANDS,
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    Approve,
    Beat,
    Command,
    DrainMember,
    EvictMember,
    GrantRef,
    Join,
    Leave,
    Pause,
    Rebalance,
    Release,
    ReleaseRef,
    Resume,
    Topic,
    encode,
)
from trimtab.session import incarnation

if TYPE_CHECKING:
    from tests.simulation.world import World

KEY: Final = GROUP.encode()
HOUR_MS: Final = 3_600_000
TEN_SESSIONS_MS: Final = 10 * SESSION_MS + 1_000
SHORT_OR_LONG: Final = [500, SESSION_MS - 500, SESSION_MS + 1_000, 3 * SESSION_MS]


def _victim(world: "World", dice: Random) -> Process | None:
    return dice.choice(world.processes) if world.processes else None


def _fresh(world: "World") -> str:
    return f"m{world.born}"


def _wishes(world: "World", dice: Random) -> tuple[str, ...]:
    topics = tuple(world.topics)
    return topics if dice.random() < 0.6 else (dice.choice(topics),)


# -- members


def start(world: "World", dice: Random) -> None:
    """Somebody new comes, perhaps with wishes of its own."""
    world.start(_fresh(world), _wishes(world, dice))


def storm(world: "World", dice: Random) -> None:
    """Many come at once."""
    for _ in range(dice.randint(2, 3)):
        world.start(_fresh(world))
    world.faults.occurred("C10")


def kill(world: "World", dice: Random) -> None:
    """Somebody dies without a word."""
    victim = _victim(world, dice)
    if victim is not None:
        victim.die(world.witness)


def restart(world: "World", dice: Random) -> None:
    """Somebody dies and is back at once, perhaps on a machine with another clock."""
    victim = _victim(world, dice)
    if victim is not None:
        victim.die(world.witness)
        offset_ms = dice.choice([0, 0, HOUR_MS, -HOUR_MS])
        if offset_ms:
            world.faults.occurred("B1")
        world.start(victim.name, _wishes(world, dice), offset_ms=offset_ms)


def suspend(world: "World", dice: Random) -> None:
    """Somebody does nothing for a while, and does not know it."""
    victim, duration_ms = _victim(world, dice), dice.choice(SHORT_OR_LONG)
    if victim is not None:
        victim.suspend(world.now + duration_ms, world.witness)
        if duration_ms > SESSION_MS:
            world.faults.occurred("C3")


def cut(world: "World", dice: Random) -> None:
    """Somebody can neither write nor read."""
    victim, until = _victim(world, dice), world.now + dice.choice(SHORT_OR_LONG)
    if victim is not None:
        world.wire.cut_until[victim.number] = victim.deaf_until = until
        world.faults.occurred("C4")


def deafen(world: "World", dice: Random) -> None:
    """Somebody can write and not read."""
    victim = _victim(world, dice)
    if victim is not None:
        victim.deaf_until = world.now + dice.choice(SHORT_OR_LONG)
        world.faults.occurred("C4")


def leave(world: "World", dice: Random) -> None:
    """Somebody wants to go."""
    victim = _victim(world, dice)
    if victim is not None:
        _stop(world, victim, dice.choice([0, 1_000, 20_000]))


def _stop(world: "World", process: Process, timeout_ms: int) -> None:
    world.note(process.stop(world.now, timeout_ms, world.witness))


def twin(world: "World", dice: Random) -> None:
    """Somebody starts under the name of somebody who lives."""
    victim = _victim(world, dice)
    if victim is not None:
        world.start(victim.name, _wishes(world, dice))
        world.faults.occurred("C1")


def surge(world: "World", dice: Random) -> None:
    """Somebody starts under another name for the instance of somebody who lives."""
    victim = _victim(world, dice)
    if victim is not None and victim.instance is not None:
        world.start(_fresh(world), _wishes(world, dice), instance=victim.instance)
        world.faults.occurred("C2")
        world.faults.occurred("C13")


def settle_duels(world: "World") -> None:
    """Of several processes with one instance the youngest stays: two would fence each other."""
    youngest = {process.instance: process for process in world.processes}
    for process in world.processes:
        if process.instance is not None and youngest[process.instance] is not process:
            process.die(world.witness)


def away(world: "World", dice: Random) -> None:
    """Somebody goes for a moment, says so, and is back; or is late, or never comes."""
    victim = _victim(world, dice)
    if victim is None:
        return
    victim.die(world.witness)
    life, _ = victim.worker
    leave = Leave(member=life.member, incarnation=life.incarnation, sequence=999, temporary=True)
    world.broker.append(MEMBERS, KEY, encode(leave), world.now)
    world.later(
        dice.choice([200, SESSION_MS - 700, SESSION_MS + 2_000]),
        partial(_back, world, victim),
    )
    world.faults.occurred("C13")


def flap(world: "World", dice: Random) -> None:
    """Somebody comes and goes and comes and goes."""
    name = _fresh(world)

    def again(times: int) -> None:
        for former in [process for process in world.processes if process.name == name]:
            former.die(world.witness)  # else it would be a twin
        process = world.start(name)
        world.later(dice.choice([500, 1_500]), lambda: _stop(world, process, 0))
        if times:
            world.later(2_500, lambda: again(times - 1))

    again(3)
    world.faults.occurred("C11")


def crash_all(world: "World", dice: Random) -> None:
    """Everybody dies at once, and comes back after a while."""
    for process in world.processes:
        process.die(world.witness)
        world.later(dice.choice([100, 2_000, 6_000]), partial(_back, world, process))
    world.faults.occurred("C12")


def _back(world: "World", former: Process) -> None:
    """Somebody is there again, unless its name has been taken meanwhile."""
    if all(process.name != former.name for process in world.processes):
        world.start(former.name, former.topics, instance=former.instance)


def leave_all(world: "World", dice: Random) -> None:
    """Everybody leaves; later one comes."""
    for process in world.processes:
        _stop(world, process, dice.choice([0, 1_000]))
    world.later(3 * SESSION_MS, lambda: _return(world))


def _return(world: "World") -> None:
    if not world.processes:
        world.faults.occurred("B7")
    world.faults.occurred("C15")
    world.start(_fresh(world))


def deploy(world: "World", dice: Random) -> None:
    """Everybody is replaced, one by one: the new one comes, then the old one goes."""
    pace_ms = dice.choice([500, 2_000])
    for place, process in enumerate(world.processes):
        world.later(place * pace_ms, lambda: start(world, dice))
        world.later(
            place * pace_ms + 300,
            partial(_stop, world, process, 5_000),
        )
    world.faults.occurred("C14")


# -- liars


def claim(world: "World", dice: Random) -> None:
    """A member that works on nothing claims queues, and lets go what it never had."""
    world.born += 1
    name, life, number = f"liar{world.born}", incarnation(world.now, world.born), 0
    join = Join(
        member=name,
        incarnation=life,
        sequence=1,
        topics=tuple(world.topics),
        session_timeout_ms=SESSION_MS,
    )
    world.broker.append(MEMBERS, KEY, encode(join), world.now)

    def lie(times: int) -> None:
        nonlocal number
        number += 2
        topic, epoch = dice.choice(list(world.topics)), dice.randint(1, world.brain.state.epoch + 1)
        row = (topic, "", dice.randint(0, 3), epoch)
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
        if times:
            world.later(dice.choice([400, 1_000]), lambda: lie(times - 1))

    lie(6)


def forge(world: "World", dice: Random) -> None:
    """Somebody beats in the name of another."""
    victim = _victim(world, dice)
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
    victim = _victim(world, dice)
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


ANN: Final = "ann"
WHY: Final = "chaos"


def _id(dice: Random) -> str:
    return f"c{dice.getrandbits(32)}"


def _order(world: "World", order: Command) -> None:
    """An operator orders; the record may arrive twice."""
    for _ in range(world.chance.randint(1, 2)):
        world.broker.append(COMMANDS, KEY, encode(order), world.now)


def pause(world: "World", dice: Random) -> None:
    """A group is paused, and resumed after a while or by itself."""
    until = world.now + 2_000 if dice.random() < 0.3 else None
    _order(world, Pause(id=_id(dice), principal=ANN, reason=WHY, until_ms=until))
    if until is None:
        world.later(dice.choice([1_000, 5_000]), lambda: resume(world, dice))
    world.faults.occurred("G1")


def resume(world: "World", dice: Random) -> None:
    """A pause ends."""
    _order(world, Resume(id=_id(dice), principal=ANN, reason=WHY))


def order(world: "World", dice: Random) -> None:
    """An operator orders one thing or another, sometimes in view of an old epoch."""
    name, base, victim = _id(dice), dice.choice([None, None, 1]), _victim(world, dice)
    choices: list[Command] = [
        Rebalance(id=name, principal=ANN, reason=WHY, base_epoch=base),
        Approve(id=name, principal=ANN, reason=WHY, base_epoch=base),
    ]
    if victim is not None:
        drain = DrainMember(id=name, principal=ANN, reason=WHY, base_epoch=base, member=victim.name)
        choices.append(drain)
    _order(world, dice.choice(choices))
    world.faults.occurred("G3")


def evict(world: "World", dice: Random) -> None:
    """An operator evicts somebody who lives."""
    victim = _victim(world, dice)
    if victim is not None:
        _order(world, EvictMember(id=_id(dice), principal=ANN, reason=WHY, member=victim.name))
        world.faults.occurred("G3")


def poison(world: "World", dice: Random) -> None:
    """Records that nobody can read."""
    topics: list[Topic[Any]] = [MEMBERS, HEARTBEATS, RELEASES, ROUTES]
    topic = dice.choice(topics)
    value = dice.choice([b"", b"{", b"[]", b'{"v": 2}', b'{"v": 1, "kind": "x"}', None])
    world.broker.append(topic, dice.choice([KEY, b"\xff", b"$tock"]), value, world.now)
    world.faults.occurred("A11")


# -- the controller and Kafka


def crash_controller(world: "World", dice: Random) -> None:
    """The controller dies in its next batch, perhaps again when it repeats it."""
    world.crashing = True
    world.away_until = world.now + dice.choice([0, 0, 1_000, SESSION_MS + 1_000])
    if dice.random() < 0.3:
        world.later(300, lambda: crash_controller(world, dice))


def stall_controller(world: "World", dice: Random) -> None:
    """The controller does nothing for a while."""
    duration_ms = dice.choice([SESSION_MS, SESSION_MS, 3 * SESSION_MS, TEN_SESSIONS_MS])
    world.away_until = world.now + duration_ms
    world.faults.occurred("A2" if duration_ms == TEN_SESSIONS_MS else "A9")


def bereaved(world: "World", dice: Random) -> None:
    """Somebody dies while the controller is away."""
    duration_ms = dice.choice([2 * SESSION_MS, 2 * SESSION_MS, TEN_SESSIONS_MS])
    world.away_until = world.now + duration_ms
    world.later(dice.randint(500, duration_ms), lambda: kill(world, dice))
    world.faults.occurred("A3")


def amnesia(world: "World", dice: Random) -> None:
    """The controller is away for longer than beats are kept."""
    world.away_until = world.now + dice.choice([2, 4]) * SESSION_MS

    def forget() -> None:
        if world.brain.pending is None and world.broker.forget(world.brain.read["t.heartbeats"]):
            world.faults.occurred("A4")

    world.later(world.away_until - world.now - 600, forget)


def blackout(world: "World", dice: Random) -> None:
    """Nobody reaches Kafka."""
    world.broker.down_until = world.now + dice.choice(SHORT_OR_LONG)
    world.faults.occurred("F1")


def truncate(world: "World", dice: Random) -> None:
    """Kafka loses the tail of a log that the controller has not read."""
    name = dice.choice(sorted(world.broker.logs))
    log, read = world.broker.logs[name], world.brain.read[name]
    if read < len(log):
        del log[dice.randint(read, len(log) - 1) :]
        for process in world.processes:
            process.heard = min(process.heard, len(world.broker.log(RELEASES)))
        world.faults.occurred("F8")


def clock_ahead(world: "World", dice: Random) -> None:
    """The broker's clock jumps ahead."""
    world.broker.jump(dice.choice([2_000, 10_000, 300_000]))
    world.faults.occurred("B2")


def clock_back(world: "World", dice: Random) -> None:
    """The broker's clock jumps back."""
    world.broker.jump(-dice.choice([2_000, 10_000, 300_000]))
    world.faults.occurred("B2")


# -- queues and routes


def _topic(world: "World", dice: Random) -> str:
    return dice.choice(list(world.topics))


def grow(world: "World", dice: Random) -> None:
    """A topic gets more queues."""
    topic = _topic(world, dice)
    world.change(topic, min(8, world.topics[topic].queues + dice.randint(1, 2)))
    world.faults.occurred("D4")


def shrink(world: "World", dice: Random) -> None:
    """A topic has fewer queues."""
    topic = _topic(world, dice)
    world.change(topic, max(1, world.topics[topic].queues - dice.randint(1, 2)))
    world.faults.occurred("D4")


def delete(world: "World", dice: Random) -> None:
    """A topic is deleted, whoever owns its queues."""
    topic = _topic(world, dice)
    if any(queue.topic == topic for process in world.processes for queue in process.working):
        world.faults.occurred("D2")
    world.change(topic, 0)


def recreate(world: "World", dice: Random) -> None:
    """A topic is deleted and made anew."""
    topic, queues = _topic(world, dice), dice.randint(1, 5)
    world.change(topic, 0)
    world.later(dice.choice([50, 500, 4_000]), lambda: world.change(topic, queues))
    world.faults.occurred("D3")


def route_flap(world: "World", dice: Random) -> None:
    """Queues vanish and are back, twice."""
    topic = _topic(world, dice)
    queues = world.topics[topic].queues
    for place in range(2):
        world.later(place * 1_200, lambda: world.change(topic, queues // 2))
        world.later(place * 1_200 + 600, lambda: world.change(topic, queues))
    world.faults.occurred("D1")


def half_route(world: "World", dice: Random) -> None:
    """The watcher sees half of a topic, once."""
    topic = _topic(world, dice)
    queues = world.topics[topic].queues
    world.change(topic, queues // 2)
    world.later(TOPIC_SEEN_AGAIN_MS, lambda: world.change(topic, queues))
    world.faults.occurred("D6")


def conflict(world: "World", dice: Random) -> None:
    """Two watchers disagree about one version; later one of them looks again."""
    topic = _topic(world, dice)
    queues = world.topics[topic].queues
    world.publish_route(topic)
    world.publish_route(topic, queues + 1)
    world.later(TOPIC_SEEN_AGAIN_MS, lambda: world.change(topic, queues))
    world.faults.occurred("D5")


TOPIC_SEEN_AGAIN_MS: Final = 2_000

HAPPENS: Final[Mapping[Kind, Callable[["World", Random], None]]] = {
    Kind.START: start,
    Kind.KILL: kill,
    Kind.RESTART: restart,
    Kind.SUSPEND: suspend,
    Kind.CUT: cut,
    Kind.DEAFEN: deafen,
    Kind.LEAVE: leave,
    Kind.TWIN: twin,
    Kind.SURGE: surge,
    Kind.AWAY: away,
    Kind.FLAP: flap,
    Kind.STORM: storm,
    Kind.CRASH_ALL: crash_all,
    Kind.LEAVE_ALL: leave_all,
    Kind.DEPLOY: deploy,
    Kind.CLAIM: claim,
    Kind.FORGE: forge,
    Kind.STALE_RELEASE: stale_release,
    Kind.POISON: poison,
    Kind.PAUSE: pause,
    Kind.ORDER: order,
    Kind.EVICT: evict,
    Kind.CRASH_CONTROLLER: crash_controller,
    Kind.STALL_CONTROLLER: stall_controller,
    Kind.BEREAVED: bereaved,
    Kind.AMNESIA: amnesia,
    Kind.BLACKOUT: blackout,
    Kind.TRUNCATE: truncate,
    Kind.CLOCK_AHEAD: clock_ahead,
    Kind.CLOCK_BACK: clock_back,
    Kind.GROW: grow,
    Kind.SHRINK: shrink,
    Kind.DELETE: delete,
    Kind.RECREATE: recreate,
    Kind.ROUTE_FLAP: route_flap,
    Kind.HALF_ROUTE: half_route,
    Kind.CONFLICT: conflict,
}
