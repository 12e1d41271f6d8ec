"""What happens: one small function for each kind of incident.

Each gets the world and its own dice, picks its victim among those who are there, and counts the
fault at the moment it takes effect. An incident that finds nobody does nothing.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from tests.simulation.incidents.machinery import (
    amnesia,
    bereaved,
    blackout,
    clock_ahead,
    clock_back,
    crash_controller,
    late_joins,
    lose_checkpoint,
    lose_worker,
    restart_broker,
    restore_checkpoint,
    rival,
    rollback,
    stall_controller,
    stray_stamps,
    truncate,
    two_clocks,
    upgrade,
)
from tests.simulation.incidents.members import (
    away,
    broadcast,
    crash_all,
    cut,
    deafen,
    deploy,
    eager,
    flap,
    hoard,
    kill,
    leave,
    leave_all,
    odd_name,
    relieve,
    restart,
    start,
    storm,
    surge,
    suspend,
    twin,
)
from tests.simulation.incidents.operators import evict, order, pause, retire
from tests.simulation.incidents.routes import (
    conflict,
    delete,
    grow,
    half_route,
    recreate,
    route_flap,
    shrink,
    write_only,
)
from tests.simulation.incidents.strangers import (
    claim,
    forge,
    glut,
    ill_named,
    poison,
    stale_release,
)
from tests.simulation.scenario import Kind

if TYPE_CHECKING:
    from tests.simulation.world import World

HAPPENS: Final[Mapping[Kind, Callable[["World", Random], None]]] = {
    Kind.START: start,
    Kind.EAGER: eager,
    Kind.BROADCAST: broadcast,
    Kind.KILL: kill,
    Kind.RESTART: restart,
    Kind.SUSPEND: suspend,
    Kind.CUT: cut,
    Kind.DEAFEN: deafen,
    Kind.LEAVE: leave,
    Kind.TWIN: twin,
    Kind.SURGE: surge,
    Kind.RELIEVE: relieve,
    Kind.AWAY: away,
    Kind.FLAP: flap,
    Kind.STORM: storm,
    Kind.CRASH_ALL: crash_all,
    Kind.LEAVE_ALL: leave_all,
    Kind.DEPLOY: deploy,
    Kind.CLAIM: claim,
    Kind.HOARD: hoard,
    Kind.FORGE: forge,
    Kind.STALE_RELEASE: stale_release,
    Kind.POISON: poison,
    Kind.GLUT: glut,
    Kind.ILL_NAMED: ill_named,
    Kind.ODD_NAME: odd_name,
    Kind.PAUSE: pause,
    Kind.ORDER: order,
    Kind.EVICT: evict,
    Kind.LOSE_WORKER: lose_worker,
    Kind.CRASH_CONTROLLER: crash_controller,
    Kind.LOSE_CHECKPOINT: lose_checkpoint,
    Kind.RESTORE_CHECKPOINT: restore_checkpoint,
    Kind.RIVAL: rival,
    Kind.RETIRE: retire,
    Kind.UPGRADE: upgrade,
    Kind.ROLLBACK: rollback,
    Kind.STALL_CONTROLLER: stall_controller,
    Kind.BEREAVED: bereaved,
    Kind.AMNESIA: amnesia,
    Kind.BLACKOUT: blackout,
    Kind.TRUNCATE: truncate,
    Kind.CLOCK_AHEAD: clock_ahead,
    Kind.CLOCK_BACK: clock_back,
    Kind.STRAY_STAMPS: stray_stamps,
    Kind.TWO_CLOCKS: two_clocks,
    Kind.LATE_JOINS: late_joins,
    Kind.GROW: grow,
    Kind.SHRINK: shrink,
    Kind.DELETE: delete,
    Kind.RECREATE: recreate,
    Kind.ROUTE_FLAP: route_flap,
    Kind.HALF_ROUTE: half_route,
    Kind.CONFLICT: conflict,
    Kind.WRITE_ONLY: write_only,
    Kind.BROKER_RESTART: restart_broker,
}
