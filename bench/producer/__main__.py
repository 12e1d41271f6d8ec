"""`make bench NAME=producer`: what a message costs with our producer, and with the bare client."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, cast, get_args

import typer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # stubs

from bench.command import conclude, run
from bench.producer.contest import PACE_S, Contest, Scenario, contest
from bench.producer.sides import TOPIC, sides
from console import topics
from console.embedded.broker import EmbeddedKafka
from console.output import columns
from console.progress import Progress, Stderr
from console.settings import load
from trimtab.transports import Client

_PARTITIONS: Final = 6
_TEMPORARY: Final = Path(__file__).parents[2] / ".cache" / "tmp"

# kafka-python costs twenty times as much a message, so its slices are shorter.
SCENARIOS: Final = {
    "confluent": (
        Scenario("stream, with a callback", callback=True, pause_s=0, messages=40_000),
        Scenario("stream, nobody listens", callback=False, pause_s=0, messages=40_000),
        Scenario("steady, with a callback", callback=True, pause_s=PACE_S, messages=500),
    ),
    "kafka-python": (
        Scenario("stream, with a callback", callback=True, pause_s=0, messages=1_000),
        Scenario("steady, with a callback", callback=True, pause_s=PACE_S, messages=500),
    ),
}


def producer(
    *,
    rounds: Annotated[int, typer.Option(min=4, help="Slices of each side.")] = 60,
    quick: Annotated[bool, typer.Option("--quick", help="Ten rounds: does it work?")] = False,
) -> None:
    """Send by both sides in turn to one embedded broker: two minutes.

    Examples:
      make bench NAME=producer
      python -m bench.producer --quick
      python -m bench.producer | tail -1 | jq .confluent_stream_with_a_callback_processor_ratio
    """
    rows, headline = [], dict[str, float | int]()
    progress = Stderr()
    with _kafka(progress) as servers:
        for name, scenarios in SCENARIOS.items():
            with sides(cast("Client", name), servers) as pair:
                for scenario in scenarios:
                    with progress.step(f"{name}: {scenario.name}"):
                        came_out = contest(pair, scenario, 10 if quick else rounds)
                    rows.append(_row(name, scenario, came_out))
                    headline |= _figures(name, scenario, came_out)
    conclude(columns(rows, *rows[0]), headline)


@contextmanager
def _kafka(progress: Progress) -> Iterator[str]:
    """A broker with the controller's topics, and one to send to."""
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="producer-", dir=_TEMPORARY) as home,
        EmbeddedKafka(Path(home), port=0, progress=progress) as kafka,
    ):
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
        wanted = topics.wanted(load(environment={}).settings)
        topics.create(admin, wanted, kafka.bootstrap_servers)
        admin.create_topics([NewTopic(TOPIC, _PARTITIONS, 1)])[TOPIC].result()
        yield kafka.bootstrap_servers


def _row(name: str, scenario: Scenario, came_out: Contest) -> dict[str, object]:
    row: dict[str, object] = {"client": name, "what": scenario.name}
    for clock in ("processor", "wall"):
        low, high = came_out.middle_half(clock)
        bare = sorted(getattr(cost, clock) for cost in came_out.bare)[len(came_out.bare) // 2]
        row[f"{clock}, bare"] = f"{bare:.1f} us"
        row[f"{clock}, ratio"] = f"{came_out.ratio(clock):.2f}"
        row[f"{clock}, half of the rounds"] = f"{low:.2f} .. {high:.2f}"
    return row


def _figures(name: str, scenario: Scenario, came_out: Contest) -> dict[str, float | int]:
    title = f"{name} {scenario.name}".replace(",", "").replace(" ", "_").replace("-", "_")
    return {
        f"{title}_{clock}_ratio": round(came_out.ratio(clock), 3) for clock in ("processor", "wall")
    } | {f"{title}_rounds": len(came_out.bare)}


assert set(SCENARIOS) == set(get_args(Client))

if __name__ == "__main__":
    run(producer, "python -m bench.producer")
