"""The race: both pipelines on one broker, taking turns, round after round.

Each pipeline's log is filled before it starts, so that its first batch reads all joins and routes.
Then it warms up and is frozen; one after the other, or they would warm up on half a machine each.
From then on they are thawed for their turns and frozen again.

Called by the command. Whatever is done to one side is done to the other.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # missing in the stubs

from bench.floor.contender import Contender
from bench.floor.plan import About, Plan, Side
from bench.floor.runner import Runner, fill
from bench.floor.samples import Sample
from bench.floor.trials import SWEEP_S
from bench.floor.writer import Outlet
from bench.populations import ORDERS, QUEUES, SESSION_MS
from console import topics
from console.embedded.broker import EmbeddedKafka
from console.progress import Progress
from console.settings import load
from trimtab.protocol import DEFAULT_PARTITIONS

_SEED: Final = 3
_JURY: Final = {
    About.GROUPS: (),
    # A sweep is policy, not work: it is as short as it may be. And reports are read as soon as
    # the pipeline can: their usual second would be most of what is measured, on both sides alike.
    About.BROKERS: (
        f"brokers.sweep_interval={SWEEP_S * 1000:.0f}ms",
        "controller.heartbeat_batch_interval=100ms",
    ),
}


def race(
    plan: Plan, about: About, directory: Path, settings: Sequence[str], progress: Progress
) -> list[Sample]:
    """Measure both sides.

    Args:
        plan: How long.
        about: What they are asked about.
        directory: For Kafka's data, checkpoints and logs; empty.
        settings: ``KEY=VALUE``, for both sides.
        progress: Who hears what is going on.

    Raises:
        Failure: Something did not start, or did not answer.
    """
    samples: list[Sample] = []
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(directory, port=0, progress=progress))
        _create_orders(kafka.bootstrap_servers)
        runners = {}
        for side in Side:
            with progress.step(f"{side}: starting and warming up, {plan.warm_up} trials"):
                outlet = Outlet(side, kafka.bootstrap_servers, f"{side}.", DEFAULT_PARTITIONS)
                _furnish(outlet)
                contender = Contender(
                    side, directory / side, [*settings_of(outlet), *_JURY[about], *settings]
                )
                runners[side] = Runner(running.enter_context(contender), outlet, about, _SEED)
                runners[side].get_ready(plan.warm_up)
        for turn in plan.turns():
            title = f"round {turn.round + 1} of {plan.rounds}, {turn.side}: {plan.trials} trials"
            with progress.step(f"{title} idle, {plan.trials} under beats"):
                samples += runners[turn.side].take(turn, plan.trials)
    return samples


def _create_orders(servers: str) -> None:
    """Make the topic of the groups, which trimtab's route watcher looks at."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    admin.create_topics([NewTopic(ORDERS, QUEUES, 1)])[ORDERS].result()


def _furnish(outlet: Outlet) -> None:
    """Make the topics, and write what is there from the beginning."""
    make_topics(outlet)
    fill(outlet)


def make_topics(outlet: Outlet) -> None:
    """Make the topics of one side, as `trimtab topics init` does."""
    admin = AdminClient({"bootstrap.servers": outlet.servers, "log_level": 2})
    settings = load(key_values=settings_of(outlet), environment={}).settings
    topics.create(admin, topics.wanted(settings), outlet.servers)


def settings_of(outlet: Outlet) -> list[str]:
    """What a side is told about the place."""
    return [
        f"kafka.bootstrap_servers={outlet.servers}",
        f"topics.prefix={outlet.prefix}",
        f"topics.partitions={outlet.partitions}",
        "controller.ui_port=0",
        "controller.http_port=0",
        f"policy.session_timeout_max={SESSION_MS}ms",
    ]
