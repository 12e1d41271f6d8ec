"""RocketMQ's tables in the jury's place."""

import pytest

from rebalance.verdicts.policy import Bench, VerdictPolicy
from tests.unit.rebalance.town import EPOCH, FAILS, FINE, Town, sights


@pytest.mark.parametrize(("mode", "term"), [("rocketmq-4", 600_000), ("rocketmq-5", 10_000)])
def test_rocketmq_s_tables_may_judge_instead(mode: Bench, term: int) -> None:
    """One report is enough, at once and for as long as the table says; the limits hold."""
    town = Town(policy=VerdictPolicy(mode=mode))
    town.sweep()
    town.report("r0", *sights({"c": FAILS}))
    verdict = town.verdict("c")
    assert ("c", mode, EPOCH + town.now + term) == (town.out, verdict.detector, verdict.until_ms)

    town.now += 1
    town.report("r0", *sights({"a": FAILS}))
    assert "c" == town.out  # at most a third
    town.report("r1", *sights({"c": FINE}))
    assert ("" if mode == "rocketmq-4" else "c") == town.out.replace("a", "")
    town.pass_time(term + 1)
    assert "" == town.out


def test_rocketmq_s_table_is_forgotten_with_its_broker() -> None:
    """And a sentence that grows by next to nothing is not said again."""
    town = Town(policy=VerdictPolicy(mode="rocketmq-5"))
    town.sweep()
    town.report("r0", *sights({"c": FAILS}))
    said = len(town.decisions)
    town.now += 10
    town.report("r1", *sights({"c": FAILS}))
    assert said == len(town.decisions)

    town.order("c", available=True)
    assert ("", {}) == (
        town.out,
        {it: item for it, item in town.cluster.items.items() if it == "c"},
    )
    town.report("r0", *sights({"c": FAILS}))
    town.forget("c")
    assert "c" not in town.cluster.items
