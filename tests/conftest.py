"""What holds for every test: cheap ones first, found counter-examples kept in the checkout.

Order is random (pytest-randomly prints the seed) within each price class, so that a mistake in a
pure function shows after seconds and not behind minutes of Kafka and Spark. Several processes begin
with slow ones instead, so that none is left with one when the others are done.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, configuration, settings
from xdist.scheduler import LoadScopeScheduling

CACHE = Path(__file__).parents[1] / ".cache"

PRICES = {"gate": 1, "packaging": 2, "kafka": 3, "spark": 4}
"""What a test costs by its dearest marker; one without any of these is pure and costs nothing."""

SHARED = {
    "tests/integration/test_accounts.py": "controller",
    "tests/integration/test_bad_broker.py": "cluster",
    "tests/integration/test_hand_over.py": "controller",
    "tests/integration/test_hung_kafka.py": "hung",
    "tests/integration/test_commands.py": "controller",
    "tests/integration/test_poison.py": "controller",
    "tests/integration/test_readme.py": "controller",
    "tests/integration/test_rocketmq.py": "controller",
    "tests/integration/test_route_watcher.py": "controller",
    "tests/integration/test_spark_pages.py": "controller",
    "tests/integration/test_verdicts.py": "controller",
    "tests/packaging/test_controller_wheel.py": "wheels",
    "tests/packaging/test_image_context.py": "image",
    "tests/packaging/test_sdk_wheel.py": "wheels",
}
"""What files share that takes many seconds: they run in one process, all others test by test."""

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


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """`--dist=loadgroup`, whose mark has no effect with the pytest that we have (xdist 3.8).

    Long tests come first, and a process has only one of them at a time. It has to know its next two
    tests before it begins one; were those long as well, they would wait while others are done.
    """

    def __init__(self, config: pytest.Config, log: object) -> None:
        """Begin with no long test anywhere."""
        super().__init__(config, log)
        self._long: dict[object, str] = {}

    def _assign_work_unit(self, node: object) -> None:
        units = self.assigned_work.get(node, {})
        if all(units.get(self._long.get(node, ""), {}).values()):  # it is done, or there was none
            self._long[node] = next(iter(self.workqueue))
        else:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        return SHARED.get(file_of(nodeid), nodeid)


def file_of(nodeid: str) -> str:
    """The file of a test, from the root."""
    return nodeid.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag of `make transcripts`."""
    parser.addoption("--rewrite", action="store_true", help="rewrite golden files from the code")


def pytest_configure() -> None:
    """Keep what tests write in the checkout, where `make clean` finds it, whoever starts pytest."""
    configuration.set_hypothesis_home_dir(CACHE / "hypothesis")
    temporary = CACHE / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary))


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Sharing | None:
    """Deal out tests to several processes."""
    return Sharing(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by price, after the shuffle."""
    items.sort(key=price)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda it: (it.get_closest_marker("slow") is None, -limit(it), -price(it)))
    sharing = {
        file_of(it.nodeid) for it in items if "controller" in getattr(it, "fixturenames", ())
    }
    if forgotten := sharing - SHARED.keys():
        raise pytest.UsageError(f"SHARED in tests/conftest.py does not name {sorted(forgotten)}")


def limit(item: pytest.Item) -> float:
    """How many seconds a test may take; 0: as many as any."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


def price(item: pytest.Item) -> int:
    """What a test costs; the session's controller, once started, costs whatever comes after it."""
    cost = max((PRICES.get(mark.name, 0) for mark in item.iter_markers()), default=0)
    return cost + ("controller" in getattr(item, "fixturenames", ()))
