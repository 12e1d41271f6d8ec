"""`make explore`: every interleaving of three members and two queues, as far as you like.

Breadth first through the real ``step`` and real sessions (``exploration``), in one process and as
much memory as so many hashes take. Progress goes to stderr; the last line is one JSON object: how
many worlds there were, and how deep every one of them was looked at.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable

from tests.laws.exploration import Exploration
from tests.laws.older import Memory, Patience
from tests.laws.real_controller import STANDING
from tests.laws.worlds import Scope, Trouble

REPORTED_EVERY_S = 5.0


def main() -> int:
    """Explore as far as was asked."""
    options = _options()
    scope = Scope(options.members, options.queues, Trouble(**dict(options.trouble)))
    if options.guards:
        scope = scope._replace(policy=STANDING, guards=True)
    scope = scope._replace(memory=options.memory, patience=options.patience)
    begun = time.monotonic()
    outcome = Exploration(scope).run(options.states, _reporter(begun, options.states))
    elapsed_s = time.monotonic() - begun
    if outcome.violation:
        sys.stdout.write(f"{outcome.violation}\n")
    result = {
        "members": scope.members,
        "queues": scope.queues,
        "trouble": {name: count for name, count in scope.trouble._asdict().items() if count},
        "states": outcome.worlds,
        "controller_states": outcome.controller_states,
        "quiet": outcome.quiet,
        "depth": outcome.depth,
        "complete": outcome.complete,
        "violations": int(bool(outcome.violation)),
        "states_per_s": round(outcome.worlds / elapsed_s),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 3 if outcome.violation else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make explore", description=__doc__)
    parser.add_argument("--states", type=int, default=1_000_000, help="how many worlds at most")
    parser.add_argument("--members", type=int, default=3, help="how many members there are")
    parser.add_argument("--queues", type=int, default=2, help="how many queues they share")
    parser.add_argument(
        "--guards", action="store_true", help="queues have standing heirs, and members guards"
    )
    parser.add_argument(
        "--memory", type=Memory, default=Memory.CHECKPOINT, help="what who takes over remembers"
    )
    parser.add_argument(
        "--patience", type=Patience, default=Patience.ENDED, help="how long it waits for the other"
    )
    parser.add_argument(
        "--trouble",
        type=_trouble,
        nargs="+",
        default=[("wishes", 2), ("deaths", 1), ("losses", 1)],
        metavar="KIND=TIMES",
        help=f"what may go wrong, and how often: {', '.join(Trouble._fields)}",
    )
    return parser.parse_args()


def _trouble(text: str) -> tuple[str, int]:
    kind, _, times = text.partition("=")
    if kind not in Trouble._fields:
        raise argparse.ArgumentTypeError(f"{kind!r} must be one of {', '.join(Trouble._fields)}")
    return kind, int(times)


def _reporter(begun: float, states: int) -> Callable[[int, int], None]:
    """Return what tells of the progress, now and then."""
    reported = begun

    def report(depth: int, worlds: int) -> None:
        nonlocal reported
        now = time.monotonic()
        if now - reported > REPORTED_EVERY_S:
            reported, pace = now, worlds / (now - begun)
            sys.stderr.write(
                f"{worlds:,} of {states:,} states, at depth {depth}, {pace:,.0f} states/s\n"
            )

    return report


if __name__ == "__main__":
    sys.exit(main())
