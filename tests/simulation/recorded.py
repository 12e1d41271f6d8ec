"""`make lives`: whole lives, recorded once, decided again by the code as it stands.

A change that is meant to change nothing is judged by this: record lives before it, and compare
after it. A recording holds what the controller read, batch by batch, and a digest of what it wrote
for each batch, through decoder, cell, codec and sinks. Inputs and policy come from the recording,
so the simulation itself may change meanwhile.
"""

import argparse
import gzip
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final, NamedTuple

from console.recordings.lines import parsed
from console.recordings.replaying import Replay, batches
from rebalance.groups.model.policy import TwinRule
from sinks import Record
from tests.simulation import transcript
from tests.simulation.lives import behind
from tests.simulation.rules import PREFIX
from tests.simulation.scenario import Scenario, scenario
from tests.simulation.world import World

KEPT = Path(".cache/lives.jsonl.gz")
_TERMS: Final[Mapping[str, Callable[[Any], object]]] = {
    "strategy": str,
    "on_twin": TwinRule,
    "on_twin_instance": TwinRule,
    "interval_ms": int,
    "grace_ms": int,
    "standing": bool,
    "half_told": bool,
}
"""What of a scenario its policy depends on."""


class Life(NamedTuple):
    """One recorded life."""

    seed: int
    terms: dict[str, Any]
    """What was drawn of the policy."""
    lines: list[str]
    digests: list[str]
    """Of what was written, by batch."""


_FORM: Final = f"{json.dumps(Life._fields)}\n"
"""What a recording begins with. One of an earlier form stays until it is made anew."""


def lived(seed: int) -> Life:
    """Live through a seed, and decide what its controller read."""
    drawn = _drawn(seed)
    terms = {name: getattr(drawn, name) for name in _TERMS}
    life = Life(seed, terms, list(transcript.lines(World(drawn).live())), [])
    return life._replace(digests=list(decided(life)))


def _drawn(seed: int) -> Scenario:
    """Draw a life; in every other one the controller ticks, as a real one does, and is behind."""
    return behind(seed) if seed % 2 else scenario(seed)


def decided(life: Life) -> Iterator[str]:
    """Decide a recording's batches; return a digest of what is written for each."""
    terms: dict[str, Any] = {name: _TERMS[name](value) for name, value in life.terms.items()}
    replay = Replay(World(replace(scenario(0), **terms)).brain.rules, slots=1)
    rows = parsed((line.encode() for line in life.lines), PREFIX, f"life {life.seed}")
    for _, batch in batches(rows, None, None):
        yield digest(replay.decide(batch))


def digest(records: Iterable[Record]) -> str:
    """Return a digest of records, to the byte and in order."""
    text = "\n".join(repr(tuple(record)) for record in records)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def difference(life: Life) -> str | None:
    """Decide a recorded life again; say where it differs."""
    pairs = zip_longest(life.digests, decided(life))
    for number, (was, now) in enumerate(pairs):
        if was != now:
            return f"life {life.seed}: batch {number} is written differently"
    return None


def read(file: Path) -> Iterator[Life]:
    """Read recorded lives."""
    with gzip.open(file, "rt", encoding="utf-8") as lives:
        next(lives)
        yield from (Life(*json.loads(line)) for line in lives)


def has_our_form(file: Path) -> bool:
    """Say whether a recording can be read."""
    with gzip.open(file, "rt", encoding="utf-8") as lives:
        return next(lives, "") == _FORM


def main() -> int:
    """Record lives, or compare with those recorded before."""
    parser = argparse.ArgumentParser(prog="make lives", description=__doc__)
    parser.add_argument("do", choices=("record", "compare"))
    parser.add_argument("--seeds", type=int, default=2_000, help="how many lives to record")
    parser.add_argument("--file", type=Path, default=KEPT, help=f"the recording (default: {KEPT})")
    options = parser.parse_args()
    if options.do == "compare" and not has_our_form(options.file):
        sys.stdout.write(f"{options.file} is of another form: record anew (make lives DO=record)\n")
        return 3
    with Pool() as pool:
        if options.do == "record":
            options.file.parent.mkdir(parents=True, exist_ok=True)
            with gzip.open(options.file, "wt", encoding="utf-8", compresslevel=3) as lives:
                lives.write(_FORM)
                for life in pool.imap(lived, range(options.seeds), chunksize=20):
                    lives.write(f"{json.dumps(life)}\n")
            sys.stdout.write(f"{options.seeds} lives recorded in {options.file}\n")
            return 0
        found = list(pool.imap_unordered(difference, read(options.file), chunksize=20))
    different = [each for each in found if each is not None]
    sys.stdout.writelines(f"{each}\n" for each in sorted(different)[:20])
    sys.stdout.write(f"{len(found)} lives, {len(different)} of them differ\n")
    return 3 if different or not found else 0


if __name__ == "__main__":
    sys.exit(main())
