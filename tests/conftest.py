"""What holds for every test: cheap ones first, found counter-examples kept in the checkout.

Order is random (pytest-randomly prints the seed) within each price class, so that a mistake in a
pure function shows after seconds and not behind minutes of Kafka and Spark. Several processes begin
with slow ones instead, so that none is left with one when the others are done.
"""

import gc
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, configuration, settings

from tests.builders.sharing import (
    BACKGROUND,
    LONGEST,
    TOGETHER,
    Sharing,
    file_of,
    give_way,
    is_shared,
    needs_jvm,
    unit_of,
)

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


_TURN_S = 600.0
"""A test of the shared controller may wait so long for its turn, or for the first start."""
_GARBAGE = 50_000
"""New objects between two looks for cycles. With Python's 700 pure tests spend a tenth of their
time looking, through a million objects of modules that stay."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag of `make transcripts`."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files from the code")


def pytest_configure(config: pytest.Config) -> None:
    """Keep what tests write in the checkout, where `make clean` finds it, whoever starts pytest."""
    configuration.set_hypothesis_home_dir(CACHE / "hypothesis")
    temporary = CACHE / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary))
    _hear_ctrl_c()
    if getattr(config, "workerinput", {}).get("background"):
        give_way()


def _hear_ctrl_c() -> None:
    """Undo that a shell has what it starts in the background ignore Ctrl-C: tests are about it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)  # without xdist nobody asks
def pytest_configure_node(node: Any) -> None:  # noqa: ANN401 - of xdist
    """Tell a process how tests are dealt out, and whether it takes what the others leave."""
    in_units = node.config.getoption("dist") == "loadgroup"
    node.workerinput["units"] = in_units
    node.workerinput["background"] = in_units and node.gateway.id in BACKGROUND


@pytest.hookimpl(optionalhook=True)  # without xdist nobody asks
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Sharing | None:
    """Deal out tests to several processes."""
    return Sharing(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by price, after the shuffle."""
    items.sort(key=price)
    if hasattr(config, "workerinput"):
        items.sort(key=haste)
    shared = [it for it in items if has_installation(it)]
    if forgotten := {file_of(it.nodeid) for it in shared if not is_shared(it.nodeid)}:
        units = " or ".join(sorted(TOGETHER))
        raise pytest.UsageError(
            f"SHARED in tests/builders/sharing.py has to name {sorted(forgotten)}, as of {units}"
        )
    for item in shared:
        give_time(item, further_s=_TURN_S)
    if getattr(config, "workerinput", {}).get("background"):
        for item in items:
            give_time(item, times=10)
    for item in items:
        if price(item) >= PRICES["kafka"] and not needs_jvm(item.nodeid):
            raise pytest.UsageError(f"{item.nodeid} has to be where tests with a JVM are")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for cycles more rarely, and not in what has been imported and collected."""
    given = getattr(session.config, "workerinput", {"units": True})
    if not given["units"] and any(map(has_installation, session.items)):
        raise pytest.UsageError("several processes of tests with a JVM need --dist=loadgroup")
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE)


def has_installation(item: pytest.Item) -> bool:
    """Whether a test asks for what several processes share; others in its file need not."""
    return "several" in getattr(item, "fixturenames", ())


def haste(item: pytest.Item) -> tuple[bool, bool, bool, float, int]:
    """What begins first where there are several processes: what shares, and what takes long.

    What keeps the other processes from the shared controller comes last, when these are done.
    """
    alone = item.get_closest_marker("alone") is not None and unit_of(item.nodeid) == LONGEST
    quick = item.get_closest_marker("slow") is None
    return not is_shared(item.nodeid), alone, quick, -limit(item), -price(item)


def give_time(item: pytest.Item, *, times: int = 1, further_s: float = 0.0) -> None:
    """Let a test take longer that waits for others, or has only what these leave."""
    seconds = limit(item) or float(item.config.getini("timeout"))
    item.add_marker(pytest.mark.timeout(times * seconds + further_s), append=False)


def limit(item: pytest.Item) -> float:
    """How many seconds a test may take; 0: as many as any."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


def price(item: pytest.Item) -> int:
    """What a test costs; the session's controller, once started, costs whatever comes after it."""
    cost = max((PRICES.get(mark.name, 0) for mark in item.iter_markers()), default=0)
    return cost + ("controller" in getattr(item, "fixturenames", ()))
