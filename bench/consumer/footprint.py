"""What a consumer costs while it waits: the threads and the memory of a process that has one.

    python -m bench.consumer.footprint SERVERS SIDE

Run by the command, once for each side. Its one rule: a side loads only what its users would load.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer as Bare

FEW: Final = "few"
"""A topic with so few messages that what is fetched ahead of them is nothing."""
MESSAGES: Final = 600
"""By then all that is needed to read has been made."""
_REST_S: Final = 1.0
"""Until what is made on the way has gone."""
_WAIT_S: Final = 0.2
Footprint = dict[str, int]


def footprint(servers: str, side: str) -> Footprint:
    """Measure one side in a process of its own."""
    command = [sys.executable, "-m", "bench.consumer.footprint", servers, side]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def _bare(servers: str) -> Footprint:
    settings = {"bootstrap.servers": servers, "group.id": "bare", "auto.offset.reset": "earliest"}
    with closing(Bare(settings)) as consumer:
        consumer.subscribe([FEW])
        return _after(lambda: consumer.poll(_WAIT_S))


def _ours(servers: str) -> Footprint:
    sides = import_module("bench.consumer.sides")
    with sides.ours(servers, "footprint", FEW) as consumer:
        return _after(lambda: consumer.poll(_WAIT_S))


def _after(poll: Callable[[], object]) -> Footprint:
    taken = 0
    while taken < MESSAGES:
        taken += poll() is not None
    time.sleep(_REST_S)
    return now()


def now() -> Footprint:
    """What Linux says of this process: see proc(5)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines)
    return {"threads": int(told["Threads"]), "memory_kib": int(told["VmRSS"].split()[0])}


def main() -> None:
    """Be one side."""
    servers, side = sys.argv[1:]
    sys.stdout.write(json.dumps(_ours(servers) if side == "ours" else _bare(servers)))


if __name__ == "__main__":
    main()
