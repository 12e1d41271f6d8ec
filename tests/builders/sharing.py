"""How tests are dealt out to several processes (`--dist=loadgroup`), so that no core ever waits.

Tests with a JVM wait most of their time: for sessions to end, for one another. Two processes of the
lowest priority run the others meanwhile, with what the first ones leave of the machine, and with
all of it when these are done.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

BACKGROUND: Final = ("gw0", "gw1")
"""The processes for tests without a JVM, as xdist names them: one for each core."""

NEEDS_JVM: Final = ("tests/integration/", "tests/packaging/")
"""Where the tests are that wait most of their time."""

SHARED: Final = {
    "tests/integration/console/test_commands.py": "controller",
    "tests/integration/console/test_doctor.py": "controller",
    "tests/integration/console/test_papers.py": "controller",
    "tests/integration/console/test_terminal.py": "controller",
    "tests/integration/controller/test_in_spark.py": "rows",
    "tests/integration/controller/test_outside.py": "controller",
    "tests/integration/controller/test_poison.py": "controller",
    "tests/integration/controller/test_route_watcher.py": "rocketmq",
    "tests/integration/controller/test_spark_pages.py": "controller",
    "tests/integration/controller/test_verdicts.py": "controller",
    "tests/integration/java/test_consumer.py": "controller",
    "tests/integration/java/test_mistakes.py": "controller",
    "tests/integration/java/test_refused.py": "secured",
    "tests/integration/rocketmq/test_beginnings.py": "rocketmq",
    "tests/integration/rocketmq/test_chaos.py": "rocketmq",
    "tests/integration/rocketmq/test_clusters.py": "clusters",
    "tests/integration/rocketmq/test_consumers.py": "rocketmq",
    "tests/integration/rocketmq/test_endings.py": "rocketmq",
    "tests/integration/rocketmq/test_heartbeats.py": "rocketmq",
    "tests/integration/rocketmq/test_hook.py": "rocketmq",
    "tests/integration/rocketmq/test_moving.py": "rocketmq",
    "tests/integration/rocketmq/test_names.py": "rocketmq",
    "tests/integration/rocketmq/test_producers.py": "rocketmq",
    "tests/integration/rocketmq/test_pulling.py": "rocketmq",
    "tests/integration/rocketmq/test_rights.py": "secured",
    "tests/integration/rocketmq/test_rolling.py": "rocketmq",
    "tests/integration/rocketmq/test_subscriptions.py": "rocketmq",
    "tests/integration/sdk/test_accounts.py": "controller",
    "tests/integration/sdk/test_bad_broker.py": "cluster",
    "tests/integration/sdk/test_chaos.py": "controller",
    "tests/integration/sdk/test_consumer_in_a_group.py": "controller",
    "tests/integration/sdk/test_departures.py": "controller",
    "tests/integration/sdk/test_follower_rights.py": "secured",
    "tests/integration/sdk/test_following.py": "controller",
    "tests/integration/sdk/test_hand_over.py": "controller",
    "tests/integration/sdk/test_hung_kafka.py": "hung",
    "tests/integration/sdk/test_moving_consumers.py": "controller",
    "tests/integration/sdk/test_moving_live.py": "controller",
    "tests/integration/sdk/test_other_languages.py": "controller",
    "tests/integration/sdk/test_readme.py": "controller",
    "tests/integration/sdk/test_rights.py": "secured",
    "tests/integration/sdk/test_secured_kafka.py": "secured",
    "tests/packaging/test_controller_wheel.py": "wheels",
    "tests/packaging/test_image_context.py": "image",
    "tests/packaging/test_sdk_wheel.py": "wheels",
}
"""What files share that takes many seconds: they run in one process, all others test by test.

Those of the controller that tests share are in two processes; one of these has the name server that
the controller asks.
"""
TOGETHER: Final = frozenset({"controller", "rocketmq"})
"""Who has the shared controller: these begin first, so that it is needed for no longer."""
LONGEST: Final = "controller"
"""Which of these is at work when the other one is done."""
_FEWEST: Final = 2
"""Tests that a process has to know before it begins one."""
_SHARED_UNITS: Final = frozenset(SHARED.values())


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """`--dist=loadgroup`, whose mark has no effect with the pytest that we have (xdist 3.8).

    Long tests come first, and a process has only one of them at a time. It has to know its next two
    tests before it begins one; were those long as well, they would wait while others are done.
    """

    def __init__(self, config: pytest.Config, log: object) -> None:
        """Begin with no long test anywhere."""
        super().__init__(config, log)
        if self.numnodes <= len(BACKGROUND):
            raise pytest.UsageError(f"--dist=loadgroup needs more than {len(BACKGROUND)} processes")
        self._long: dict[object, str] = {}

    def remove_node(self, node: Any) -> str | None:  # noqa: ANN401 - of xdist
        """Give others what a process that died has left to do, and only that.

        Of a unit that is done nothing is sent to a process; it would wait for that for ever.
        """
        units = self.assigned_work[node]
        for unit in [it for it, tests in units.items() if all(tests.values())]:
            del units[unit]
        return super().remove_node(node)  # type: ignore[no-any-return]  # of xdist

    def _reschedule(self, node: Any) -> None:  # noqa: ANN401 - of xdist
        """Give a process two tests, also one that replaces another; it begins with no fewer."""
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < _FEWEST:
            super()._reschedule(node)

    def _assign_work_unit(self, node: Any) -> None:  # noqa: ANN401 - of xdist
        units = self.assigned_work.get(node, {})
        is_free = all(units.get(self._long.get(node, ""), {}).values())  # of a long test
        chosen = self._chosen(node, last=not is_free)
        if chosen is None:
            node.shutdown()
            return
        if is_free:
            self._long[node] = chosen
        self.workqueue.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)

    def _chosen(self, node: Any, *, last: bool) -> str | None:  # noqa: ANN401 - of xdist
        """Return what a process may do; one with a JVM helps the others when its own are done.

        Of fewer tests than processes those in the background may have to do all.
        """
        background = node.gateway.id in BACKGROUND
        alone = all(it.gateway.id in BACKGROUND for it in self.nodes)
        units = [*reversed(self.workqueue)] if last else [*self.workqueue]
        fitting = (it for it in units if alone or needs_jvm(it) != background)
        return next(fitting, None if background else units[0])

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def give_way() -> None:
    """Take only what others leave of the machine.

    Linux may share it between sessions first, and look at what a process is worth only within one.
    """
    os.setsid()
    os.nice(19)
    with suppress(FileNotFoundError):
        Path("/proc/self/autogroup").write_text("19")


def needs_jvm(unit: str) -> bool:
    """Whether what is dealt out as one is in the folders of those that need a JVM."""
    return unit in _SHARED_UNITS or unit.startswith(NEEDS_JVM)


def unit_of(nodeid: str) -> str:
    """As part of what a test is dealt out."""
    return SHARED.get(file_of(nodeid), nodeid)


def is_shared(nodeid: str) -> bool:
    """Whether a test has the shared controller."""
    return unit_of(nodeid) in TOGETHER


def file_of(nodeid: str) -> str:
    """The file of a test, from the root."""
    return nodeid.partition("::")[0]
