"""A topic whose broker's clock is behind: whoever speaks by it is not taken for silent."""

import json
from typing import Any

import pytest

from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from tests.builders.log import Log, beat, join, leave, route, rules
from trimtab.protocol import HEARTBEATS, MEMBERS, ROCKETMQ, ROUTES, Record, Topic

RULES = rules()
SESSION_S, STEP_S = 10, RULES.policy.max_clock_step_ms // 1_000
EPOCH_S = 1_767_225_600
BATCH_S = 40
"""A batch that is longer than a session begins a second after the first one, which has a route."""
OLDER = "1767225600000-00000001"


class Past:
    """The seconds of a log, in two batches and then one each second."""

    def __init__(self, skew_s: int) -> None:
        self.log, self.skew_s, self.cell = Log(), skew_s, Cell()
        self.gone: dict[bytes, int] = {}
        self.log.append(ROUTES, "billing", route(), at=self.at(0))
        self.log.append(MEMBERS, "billing", join("b"), at=self.at(0))
        self.log.tick("billing", at=self.at(0))
        self.fold(0)

    def at(self, second: int, behind_s: int = 0) -> int:
        """When a broker says that it is."""
        return 1_000 * (EPOCH_S + second - behind_s)

    def says(self, topic: Topic[Any], record: Record | bytes, second: int) -> None:
        """By a topic whose broker's clock is behind."""
        self.log.append(topic, "billing", record, at=self.at(second, self.skew_s))

    def second(self, second: int, *beating: str) -> None:
        """Ticks, and beats of those; b is always there."""
        self.log.tick("billing", at=self.at(second))
        for name in ("b", *beating):
            self.log.append(HEARTBEATS, "billing", beat(name, second, epoch=0), at=self.at(second))

    def fold(self, second: int) -> None:
        """Read what is there."""
        folded = fold(self.cell, self.log.read(), RULES)
        self.cell = read(write(folded.cell))
        for record in folded.records:
            if record.topic == "t.assignments" and record.value is None:
                self.gone.setdefault(record.key, second)


SKEWS = pytest.mark.parametrize("skew_s", [BATCH_S + 5, 3_600, 86_400])


@SKEWS
@pytest.mark.parametrize("joins", [1, 15, 28, 38, BATCH_S])
def test_a_newcomer_is_not_removed_for_its_brokers_clock(joins: int, skew_s: int) -> None:
    """Whenever in a long batch it joins, it has a session from then to show that it is there."""
    past = Past(skew_s)
    for second in range(1, BATCH_S + 1):
        if second == joins:
            past.says(MEMBERS, join("a"), second)
        past.second(second, *(["a"] if second >= joins + 2 else []))
    past.fold(BATCH_S)
    for second in range(BATCH_S + 1, 2 * BATCH_S):
        past.second(second, *(["a"] if second >= joins + 2 else []))
        past.fold(second)

    assert {} == past.gone


@SKEWS
def test_nor_is_one_that_restarts_or_comes_back(skew_s: int) -> None:
    """Its new life, or its return from a short leave, is as late as a first join."""
    past = Past(skew_s)
    past.says(MEMBERS, join("r", incarnation=OLDER), 0)
    past.says(MEMBERS, join("l"), 0)
    for second in range(1, BATCH_S + 1):
        if second == BATCH_S - 2:
            past.says(MEMBERS, join("r"), second)
        if second == BATCH_S - 3:
            past.says(MEMBERS, leave("l").model_copy(update={"temporary": True}), second)
        past.second(second, *(["l"] if second < BATCH_S - 3 else []))
    past.fold(BATCH_S)
    past.says(MEMBERS, join("l", sequence=10), BATCH_S)
    for second in range(BATCH_S + 1, 2 * BATCH_S):
        past.second(second, "l", "r")
        past.fold(second)

    assert {} == past.gone


@SKEWS
def test_a_rocketmq_client_lives_by_what_it_says_last(skew_s: int) -> None:
    """All that it says comes by a topic of another broker, every 30 s; its session is 120 s."""
    past = Past(skew_s)
    says = heartbeat("10.0.0.1@1")
    for second in range(1, 200):
        if second % 30 == 1:
            past.says(ROCKETMQ, says, second)
        past.second(second)
    past.fold(200)

    assert {} == past.gone


def heartbeat(client: str) -> bytes:
    """One group, one topic."""
    data = {
        "groupName": "billing",
        "consumeType": "CONSUME_PASSIVELY",
        "messageModel": "CLUSTERING",
    }
    said = {"topic": "orders", "subString": "*"}
    consumer = {**data, "subscriptionDataSet": [said]}
    return json.dumps({"clientID": client, "consumerDataSet": [consumer]}).encode()


@SKEWS
@pytest.mark.parametrize(("last_beat", "other_joins"), [(6, None), (None, 5), (6, 30), (25, None)])
def test_the_dead_live_no_longer_for_it(
    last_beat: int | None, other_joins: int | None, skew_s: int
) -> None:
    """A session and a step after the last that can be known of them."""
    past = Past(skew_s)
    for second in range(1, BATCH_S + 1):
        if second == 2:
            past.says(MEMBERS, join("a"), second)
        if second == other_joins:
            past.says(MEMBERS, join("c"), second)
        names = [*(["a"] if last_beat and 3 <= second <= last_beat else [])]
        past.second(second, *names, *(["c"] if other_joins and second >= other_joins else []))
    past.fold(BATCH_S)
    for second in range(BATCH_S + 1, 2 * BATCH_S):
        past.second(second, *(["c"] if other_joins else []))
        past.fold(second)
    latest = BATCH_S if last_beat is None else max(BATCH_S, last_beat + SESSION_S + STEP_S)

    assert [b"billing/a"] == list(past.gone)
    assert past.gone[b"billing/a"] <= (latest if last_beat else BATCH_S + SESSION_S + STEP_S)


def test_a_log_that_is_right_again_is_read_by_its_own_times() -> None:
    """What is known of it is forgotten with the first record that is not old."""
    past = Past(3_600)
    past.says(MEMBERS, join("a"), 1)
    past.second(1)
    past.fold(1)
    assert [f"t.{MEMBERS.name}"] == [topic for topic, _ in past.cell.clock.behind]

    past.skew_s = 0
    past.says(MEMBERS, join("a", sequence=2), 2)
    past.second(2)
    past.fold(2)
    assert () == past.cell.clock.behind
