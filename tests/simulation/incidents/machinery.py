"""What happens to the controller and to Kafka."""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from audit.violations import Invariant, Violation
from streaming.cell import codec
from streaming.cell.packed import Packs, pack
from streaming.cell.stored.unreadable import UnreadableState
from streaming.wire.rows import Row
from tests.simulation.behind import Behind
from tests.simulation.brain import NAME
from tests.simulation.checkpoints import Checkpoint, Copying
from tests.simulation.incidents.choices import (
    HOUR_MS,
    SHORT_OR_LONG,
    TEN_SESSIONS_MS,
    victim_of,
)
from tests.simulation.rules import GROUP
from tests.simulation.scenario import SESSION_MS, Kind
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
)

if TYPE_CHECKING:
    from tests.simulation.world import World

_READ_MS = 2 * SESSION_MS
"""How old beats may be that a start without a checkpoint reads: less, in lives that are short, than
the `_RECENT_MS` of `pipeline`."""


def crash_controller(world: "World", dice: Random) -> None:
    """The controller dies in its next batch, perhaps again when it repeats it."""
    world.crashing = True
    world.away_until = world.now + dice.choice([0, 0, 1_000, SESSION_MS + 1_000])
    if dice.random() < 0.3:
        world.later(300, lambda: crash_controller(world, dice))


def lose_worker(world: "World", dice: Random) -> None:
    """A worker is lost in the next batch; the one that repeats it has a clock of its own."""
    world.brain.elsewhere_ms = dice.choice([-HOUR_MS, HOUR_MS])


def stall_controller(world: "World", dice: Random) -> None:
    """The controller does nothing for a while."""
    duration_ms = dice.choice([SESSION_MS, SESSION_MS, 3 * SESSION_MS, TEN_SESSIONS_MS])
    world.away_until = world.now + duration_ms
    world.faults.occurred("A2" if duration_ms == TEN_SESSIONS_MS else "A9")


def bereaved(world: "World", dice: Random) -> None:
    """Somebody dies while the controller is away."""
    duration_ms = dice.choice([2 * SESSION_MS, 2 * SESSION_MS, TEN_SESSIONS_MS])
    world.away_until = world.now + duration_ms

    def die() -> None:
        victim = victim_of(world, dice)
        if victim is not None:
            victim.die(world.witness)
            if world.away_until >= world.now:
                world.faults.occurred("A3")

    world.later(dice.randint(500, duration_ms), die)


def amnesia(world: "World", dice: Random) -> None:
    """The controller is away for longer than beats are kept."""
    world.away_until = world.now + dice.choice([2, 4]) * SESSION_MS

    def forget() -> None:
        if world.brain.pending is None and world.broker.forget(world.brain.read["t.heartbeats"]):
            world.faults.occurred("A4")

    world.later(world.away_until - world.now - 600, forget)


def lose_checkpoint(world: "World", dice: Random) -> None:
    """The controller dies, and its checkpoint is deleted; or the log was, before it was read.

    Or the beats that it had read are too old for the next one to read them again.
    """
    world.away_until = world.now + dice.choice([0, 1_000, SESSION_MS + 1_000])
    # What a forger said in a member's name is forgotten with the log, but not by the auditor.
    forged = any(each.kind is Kind.FORGE for each in world.scenario.incidents)
    luck, read = dice.random(), world.brain.read["t.heartbeats"]
    if luck < 0.4 and world.broker.up(world.now) and not forged:
        world.brain.copy = None  # of a log that is no more
        for topic in (MEMBERS, ROUTES, HEARTBEATS):
            world.broker.log(topic)[:-1] = []  # the last one stays: offsets go on from it
        world.faults.occurred("A15")
    world.restart(None)
    if luck > 0.7 and not world.brain.read["t.heartbeats"]:  # it has begun
        world.brain.copy = None  # what was read after it is no more
        world.broker.outdate(read, world.now - _READ_MS)


def restore_checkpoint(world: "World", dice: Random) -> None:
    """A copy of the checkpoint is taken, and later the controller dies and gets that one."""
    world.brain.copying = dice.choice(list(Copying))

    def restore() -> None:
        if world.brain.copy is not None:
            world.restart(world.brain.copy)

    world.later(dice.choice([500, 2_000, 2 * SESSION_MS]), restore)


def forget_half(world: "World", dice: Random) -> None:
    """The controller dies, its checkpoint is deleted, and Kafka loses some of what it is told."""
    reading = world.brain.reading
    if isinstance(reading, Behind) and world.broker.up(world.now):
        reading.losing = dice.randint(1, 4)
        world.restart(None)
        world.faults.occurred("F8")


def rival(world: "World", dice: Random) -> None:
    """Another controller starts, with a checkpoint of its own or with the same one."""
    brain = world.brain
    begins: Callable[[], Checkpoint | None] = dice.choice(
        [lambda: None, lambda: brain.copy, brain.checkpoint]
    )
    if world.broker.up(world.now):
        brain.challenge(begins, world.now)


def upgrade(world: "World", dice: Random) -> None:
    """The controller is replaced by a newer release, which knows more; for a while by turns."""
    world.crashing = world.brain.upgraded = True
    world.away_until = world.now + dice.choice([0, 1_000])


def rollback(world: "World", dice: Random) -> None:
    """A release that cannot read the state is started; it refuses, and the right one goes on."""
    brain = world.brain
    cell = codec.Cell(brain.clock, Packs.of({NAME: pack(brain.state)}))
    migrated = bytes([codec.VERSION + 1]) + codec.write(cell)[1:]
    try:
        codec.read(migrated)
    except UnreadableState:
        world.away_until = world.now + dice.choice([500, 2_000])
        world.faults.occurred("A13")
    else:
        world.note([Violation(Invariant.TOTAL, GROUP, "state", "a later release's was read")])


def blackout(world: "World", dice: Random) -> None:
    """Nobody reaches Kafka."""
    world.broker.down_until = world.now + dice.choice(SHORT_OR_LONG)
    world.faults.occurred("F1")


def restart_broker(world: "World", dice: Random) -> None:
    """Kafka is gone for a moment, and the watcher looks again as soon as it is back."""
    gone_ms = dice.choice([500, 1_500])
    world.broker.down_until = world.now + gone_ms
    world.later(gone_ms, lambda: world.driver.look(world.now))
    world.faults.occurred("D7")


def truncate(world: "World", dice: Random) -> None:
    """Kafka loses the tail of a log that the controller has not read.

    But no release on which an heir works by now: of two that begin on one grant, for which the log
    has forgotten the first release, only the token tells (F8).
    """
    name = dice.choice(sorted(world.broker.logs))
    log, read = world.broker.logs[name], world.brain.furthest.get(name, -1)
    kept = -1
    if log is world.broker.log(RELEASES):
        begun = (place for place, row in enumerate(log) if _is_worked_on(world, row))
        kept = max(begun, default=-1)
    unread = [place for place, row in enumerate(log) if row.offset > read and place > kept]
    # A start counts on what was told and said for it.
    if unread and not world.brain.starting and world.brain.challenger is None:
        del log[dice.choice(unread) :]
        for process in world.processes:
            process.heard = min(process.heard, len(world.broker.log(RELEASES)))
        world.faults.occurred("F8")


def _is_worked_on(world: "World", row: Row) -> bool:
    """Tell whether a record is a release that names a grant under which somebody works."""
    release = world.wire.read(row)
    named = set() if release is None else {(it.queue, it.next) for it in release.queues}
    return any(
        (queue, grant.token) in named
        for process in world.processes
        for queue, (grant, _) in process.working.items()
    )


def clock_ahead(world: "World", dice: Random) -> None:
    """The broker's clock jumps ahead."""
    world.broker.jump(dice.choice([2_000, 5_000, HOUR_MS]))
    world.faults.occurred("B2")


def stray_stamps(world: "World", dice: Random) -> None:
    """The broker's clock is ahead for one record, or for a while, again and again."""
    by_ms = dice.choice([2_000, 5_000, HOUR_MS, 24 * HOUR_MS])
    if world.straying:
        return
    world.straying = dice.randint(1, 8)
    lasting_ms = dice.choice([0, 0, 500, 2_000])

    def stray() -> None:
        world.faults.occurred("B8")
        if lasting_ms:
            world.broker.jump(by_ms)
        else:
            world.broker.stray_ms = by_ms
        world.later(lasting_ms, come_back)

    def come_back() -> None:
        if lasting_ms:
            world.broker.jump(-by_ms)
        world.straying -= 1
        if world.straying:
            world.later(dice.choice([200, 700, 3_000]), stray)

    stray()


def two_clocks(world: "World", dice: Random) -> None:
    """Every other heartbeat is stamped by a clock that is wrong, for the rest of the life."""
    world.broker.other_ms = dice.choice([2_000, 5_000, HOUR_MS, -HOUR_MS])
    world.faults.occurred("B8")


def late_joins(world: "World", dice: Random) -> None:
    """The clock of the broker that takes joins is behind, for the rest of the life."""
    world.broker.behind_ms = dice.choice([HOUR_MS, 24 * HOUR_MS])
    world.faults.occurred("B2")


def clock_back(world: "World", dice: Random) -> None:
    """The broker's clock jumps back."""
    world.broker.jump(-dice.choice([2_000, 10_000, 300_000]))
    world.faults.occurred("B2")
