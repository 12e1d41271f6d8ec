"""The race: both pipelines on one broker, taking turns, round after round.

Each pipeline's log is filled before it starts, so that its first batch reads all joins and routes.
Then it warms up and is frozen; one after the other, or they would warm up on half a machine each.
From then on they are thawed for their turns and frozen again.

Called by the command. Its one rule: whatever is done to one side is done to the other.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # missing in the stubs

from bench.floor.contender import Contender
from bench.floor.mouth import Outlet
from bench.floor.plan import Plan, Side
from bench.floor.runner import Runner, fill
from bench.floor.samples import Sample
from bench.guests import ORDERS, QUEUES, SESSION_MS
from console import topics
from console.embedded.broker import EmbeddedKafka
from console.progress import Progress
from console.settings import load
from trimtab.protocol import DEFAULT_PARTITIONS

_SEED: Final = 3


def race(plan: Plan, directory: Path, settings: Sequence[str], progress: Progress) -> list[Sample]:
    """Measure both sides.

    Args:
        plan: How long.
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
            with progress.step(f"{side}: starting and warming up, {plan.warm_up} visits"):
                outlet = Outlet(side, kafka.bootstrap_servers, f"{side}.", DEFAULT_PARTITIONS)
                _furnish(outlet)
                contender = Contender(side, directory / side, [*_settings(outlet), *settings])
                runners[side] = Runner(running.enter_context(contender), outlet, _SEED)
                runners[side].get_ready(plan.warm_up)
        for turn in plan.turns():
            title = f"round {turn.round + 1} of {plan.rounds}, {turn.side}: {plan.visits} visits"
            with progress.step(f"{title} idle, {plan.visits} under beats"):
                samples += runners[turn.side].take(turn, plan.visits)
    return samples


def _create_orders(servers: str) -> None:
    """Make the topic of the groups, which trimtab's route watcher looks at."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    admin.create_topics([NewTopic(ORDERS, QUEUES, 1)])[ORDERS].result()


def _furnish(outlet: Outlet) -> None:
    """Make the topics, and write what is there from the beginning."""
    admin = AdminClient({"bootstrap.servers": outlet.servers, "log_level": 2})
    topics.create(
        admin, topics.wanted(load(assignments=_settings(outlet), environment={}).settings)
    )
    fill(outlet)


def _settings(outlet: Outlet) -> list[str]:
    """What a side is told about the place."""
    return [
        f"kafka.bootstrap_servers={outlet.servers}",
        f"topics.prefix={outlet.prefix}",
        f"topics.partitions={outlet.partitions}",
        "controller.ui_port=0",
        f"policy.session_timeout_max={SESSION_MS}ms",
    ]
