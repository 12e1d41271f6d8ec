"""What holds for every test: cheap ones first, found counter-examples kept in the checkout.

Order is random (pytest-randomly prints the seed) within each price class, so that a mistake in a
pure function shows after seconds and not behind minutes of Kafka and Spark.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, configuration, settings

CACHE = Path(__file__).parents[1] / ".cache"

PRICES = {"gate": 1, "packaging": 2, "kafka": 3, "spark": 4}
"""What a test costs by its dearest marker; one without any of these is pure and costs nothing."""

# How hard laws are tried: `make check`, `make test`, and a night's run with
# `pytest --hypothesis-profile=deep`. A law that sets `max_examples` itself is deaf to this.
for effort, examples in {"quick": 30, "thorough": 500, "deep": 20_000}.items():
    settings.register_profile(
        effort,
        max_examples=examples,
        deadline=None,  # a busy machine is not a broken law
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("thorough")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag of `make transcripts`."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files from the code")


def pytest_configure() -> None:
    """Keep what tests write in the checkout, where `make clean` finds it, whoever starts pytest."""
    configuration.set_hypothesis_home_dir(CACHE / "hypothesis")
    temporary = CACHE / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by price, after the shuffle."""
    items.sort(key=price)


def price(item: pytest.Item) -> int:
    """What a test costs; the session's controller, once started, costs whatever comes after it."""
    cost = max((PRICES.get(mark.name, 0) for mark in item.iter_markers()), default=0)
    return cost + ("controller" in getattr(item, "fixturenames", ()))
