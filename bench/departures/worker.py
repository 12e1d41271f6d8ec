"""One member as a process: it joins and leaves when told to, and says when queues come and go.

    python -m bench.departures.worker SERVERS PREFIX NAME GUARD

Started by ``fleet``, to which it first says its process id. Times are the machine's wall clock, in
nanoseconds: all members are on one.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from trimtab import Grant, Member
from trimtab.protocol import QueueRef

GROUP = "billing"
TOPIC = "orders"


def say(event: str, grants: Iterable[Grant]) -> Mapping[QueueRef, int | None]:
    """Tell of a change; who gives queues back gives them at the beginning."""
    at, those = time.time_ns(), list(grants)
    queues = [grant.queue.id for grant in those]
    sys.stdout.write(json.dumps({"event": event, "at": at, "queues": queues}) + "\n")
    sys.stdout.flush()
    return dict.fromkeys((grant.queue for grant in those), 0)


def main() -> None:
    """Be a member from the first line that comes in to the next one."""
    servers, prefix, name, guard = sys.argv[1:]
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    further: dict[str, Any] = {"guard": True} if guard == "guard" else {}  # new: see `builds`
    member = Member(
        servers,
        group=GROUP,
        topics=[TOPIC],
        prefix=prefix,
        member_id=name,
        **further,
        on_assigned=partial(say, "begins"),
        on_revoked=partial(say, "ends"),
        on_lost=partial(say, "ends"),
    )
    member.start()
    member.wait_until(lambda it: it.state in {"joining", "joined"})
    say("there", ())
    sys.stdin.readline()
    member.stop()


if __name__ == "__main__":
    main()
