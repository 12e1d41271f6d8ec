"""`make kills TIMES=20 SEED=1`: the controller is killed at every step of a batch, and comes back.

Real members work all the while, and a population comes in the batch that is hit.
Afterwards the members have what they had, nobody of the population was told two things, and the
auditor finds nothing in all that was written. The steps come in turn, in an order that the seed
says.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Annotated, Final

import typer
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    NewTopic,
)

from bench.command import conclude, run
from chaos.installation import Controller, Killable
from chaos.population import SIZE, Population
from chaos.steps import Step, Trap, await_done, batches
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr
from trimtab import Grant, Member

_KEPT: Final = Path(__file__).parents[1] / ".cache" / "kills"
_FRUGAL: Final = {
    "topics.partitions": 2,
    "controller.http_port": 0,
    "spark.options.spark.sql.streaming.pollingDelay": "100ms",
}
"""It starts very often, and has little to do."""
_NONE: Final[Mapping[str, str]] = {}
_QUEUES: Final = 8
_MEMBERS: Final = 3
_QUIET_S: Final = 1.0
"""Nothing more of a dead controller arrives after so long."""
_PATIENCE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill."""

    aimed: Step
    hit: Step
    told: int
    """How many of the population had been told before the controller died."""
    back_s: float
    """From its start until all of them were told."""

    def __str__(self) -> str:
        return f"hit {self.hit}; {self.told} of {SIZE} told; back in {self.back_s:.0f} s"


@dataclass(slots=True)
class Kills:
    """Kills a controller, again and again.

    Args:
        controller: Which.
        checkpoint: Where its checkpoint is.
        population: Who comes in the batches that are hit.
    """

    controller: Killable
    checkpoint: Path
    population: Population
    done: list[Kill] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """What was said and must not be."""

    def get_ready(self) -> None:
        """Have all of them come once, so that the group's queues are known from then on."""
        self.population.join()
        self.population.await_all()
        self.population.listen(_QUIET_S)

    def hit(self, step: Step) -> None:
        """Kill it at this step of the batch in which all of them come, and start it."""
        hit, told = self.kill(step)
        self.come_back(step, hit, told)

    def kill(self, step: Step) -> tuple[Step, int]:
        """Kill it; return which step was really hit, and how many had been told by then.

        The batch in which they left must be over: a repeated one says again that they are gone.
        """
        self.population.leave()
        await_done(self.checkpoint, self.population.place, self.population.end)
        if step is Step.BEFORE_OFFSETS:  # it plans a batch some milliseconds after its records
            os.killpg(self.controller.pid, signal.SIGSTOP)
        with Trap(self.checkpoint) as trap:
            self.population.join()
            trap.sprung(step, self.population.place, self.population.end, self.population.hears)
            self.controller.kill()
        told = self.population.listen(_QUIET_S)
        return self._really_hit(told), told

    def come_back(self, step: Step, hit: Step, told: int) -> None:
        """Start it, and wait until it has said what it was about to say."""
        began = time.monotonic()
        self.controller.start()
        self.population.await_all()
        self.done.append(Kill(step, hit, told, time.monotonic() - began))
        self.population.listen(_QUIET_S)
        self.wrong += self.population.contradicted()

    def _really_hit(self, told: int) -> Step:
        """Tell what was hit by what is left of it."""
        planned, done = (max(batches(self.checkpoint, it)) for it in ("offsets", "commits"))
        if planned == done:
            return Step.AFTER_COMMIT if told == SIZE else Step.BEFORE_OFFSETS
        if told == 0:
            return Step.AFTER_OFFSETS
        return Step.AFTER_SINK if told == SIZE else Step.MID_SINK


@dataclass(slots=True)
class Unmoved:
    """Members that must keep what they have, and hear nothing."""

    members: list[Member]
    heard: list[str]

    def wrong(self) -> list[str]:
        """Say what they have heard since they settled."""
        return list(self.heard)


def in_turn(seed: int, times: int) -> Iterator[Step]:
    """Draw steps: each comes once before any comes again."""
    random, bag = Random(seed), list[Step]()
    for _ in range(times):
        bag = bag or random.sample(list(Step), len(Step))
        yield bag.pop()


def kills(
    *,
    times: Annotated[int, typer.Option(min=1, help="How often.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the steps.")] = 1,
) -> None:
    """Kill the controller at every step of a batch, while members work.

    Each time it starts again and must say the same as before, to the byte; the members keep their
    queues. At the end the auditor reads all topics. Its logs are kept under .cache/kills.

    Examples:
      make kills TIMES=20 SEED=1
      python -m chaos.kills --times 5
    """
    rmtree(_KEPT, ignore_errors=True)
    with ExitStack() as stack:
        with Stderr().step("starting Kafka and the controller"):
            kafka = stack.enter_context(EmbeddedKafka(_KEPT, port=0))
            servers = kafka.bootstrap_servers
            controller = Controller(_KEPT / "controller", servers, "trimtab.", _FRUGAL)
            stack.callback(controller.kill)
            controller.start()
        make_topic(servers, "orders")
        population = stack.enter_context(
            closing(Population(servers, "trimtab.", "population", "orders"))
        )
        unmoved = stack.enter_context(working(servers, controller.prefix, "orders"))
        all_kills = Kills(controller, _KEPT / "controller" / "checkpoint", population)
        all_kills.get_ready()
        for number, step in enumerate(in_turn(seed, times), start=1):
            with Stderr().step(f"kill {number} of {times}: {step}"):
                all_kills.hit(step)
            print(all_kills.done[-1], flush=True)
        wrong = [*all_kills.wrong, *unmoved.wrong(), *audited(servers, controller.prefix)]
    _tell(all_kills.done, wrong)


def make_topic(servers: str, name: str) -> None:
    """Make a topic to work on."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    admin.create_topics([NewTopic(name, _QUEUES, 1)])[name].result()


@contextmanager
def working(servers: str, prefix: str, topic: str) -> Iterator[Unmoved]:
    """Have members work on a topic, and note what they hear once they have shared it out."""
    heard = list[str]()

    def note(what: str, grants: tuple[Grant, ...]) -> None:
        heard.extend(f"a member that works {what} {it.queue}" for it in grants)

    with ExitStack() as stack:
        members = [
            stack.enter_context(
                Member(
                    servers,
                    prefix=prefix,
                    group=f"{topic}-workers",
                    topics=[topic],
                    member_id=f"worker-{number}",
                    on_assigned=lambda grants: note("was given", grants),
                    on_revoked=lambda grants: note("gave up", grants),
                    on_lost=lambda grants: note("lost", grants),
                )
            )
            for number in range(_MEMBERS)
        ]
        deadline, fair = time.monotonic() + _PATIENCE_S, _QUEUES // _MEMBERS
        while min(len(it.assignment) for it in members) < fair or _shared(members) < _QUEUES:
            if time.monotonic() > deadline:
                raise Failure("the members do not get their queues", ExitCode.TIMEOUT)
            time.sleep(_QUIET_S / 10)
        time.sleep(_QUIET_S)
        heard.clear()
        yield Unmoved(members, heard)


def _shared(members: Iterable[Member]) -> int:
    return len({grant.queue for it in members for grant in it.assignment})


def audited(servers: str, prefix: str, settings: Mapping[str, str] = _NONE) -> list[str]:
    """Return what the auditor finds in all that was written, under these settings.

    Raises:
        Failure: It could not judge all of it.
    """
    given = {
        f"TRIMTAB_{name.replace('.', '__').upper()}": value
        for name, value in {**settings, "topics.prefix": prefix}.items()
    }
    command = [sys.executable, "-m", "console.main", "--quiet", "check", "-o", "json"]
    told = subprocess.run(
        [*command, "--bootstrap-servers", servers],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode not in {ExitCode.OK, ExitCode.UNHEALTHY}:
        raise Failure("the auditor cannot read the topics", details=told.stderr)
    return found(json.loads(told.stdout))


def found(result: Mapping[str, list[object]]) -> list[str]:
    """Return what the auditor has found: nothing is no answer where it could not look."""
    for unseen in ("not_judged", "not_examined"):
        if result[unseen]:
            raise Failure(f"the auditor cannot judge everything: {result[unseen]}")
    return [str(it) for it in result["violations"]]


def missed(done: Sequence[Kill]) -> list[Step]:
    """Return the steps that were never hit, though there were kills enough for each."""
    hit = {it.hit for it in done}
    return [it for it in Step if it not in hit] if len(done) >= len(Step) else []


def _tell(done: list[Kill], wrong: list[str]) -> None:
    """Print what was hit, and what must not be."""
    hits = Counter(it.hit for it in done)
    aims = Counter(it.aimed for it in done)
    rows = [{"step": str(it), "aimed": aims[it], "hit": hits[it]} for it in Step]
    back = sorted(it.back_s for it in done)
    for it in wrong:
        print(f"! {it}")
    never = missed(done)
    conclude(
        columns(rows, "step", "aimed", "hit"),
        {
            "kills": len(done),
            "back_s_p50": back[len(back) // 2],
            "wrong": len(wrong),
            "steps_never_hit": len(never),
        },
    )
    if wrong:
        raise Failure("a kill has had consequences", ExitCode.UNHEALTHY)
    if never:
        text = f"never killed {', '.join(never)}: nothing is known of that; try it more often"
        raise Failure(text, ExitCode.UNHEALTHY)


if __name__ == "__main__":
    run(kills, "python -m chaos.kills")
