"""A checkpoint is gone on with under its own terms only."""

import json
from dataclasses import replace

import pytest

from rebalance.groups.model.route import NO_ID
from streaming.cell.codec import READABLE, VERSION
from streaming.startup.terms import (
    DEALING,
    NEW_CHECKPOINT,
    Terms,
    continued,
    dealt_otherwise,
    differences,
    frozen,
    read,
    written,
)

TERMS = Terms(
    state=VERSION,
    cluster="kafka-1",
    prefix="t.",
    partitions=8,
    cells_per_partition=1,
    sources=[["members"], ["heartbeats"]],
    topics={"t.members": "id-1"},
    decides="these",
)


def test_terms_are_read_as_they_were_written() -> None:
    """Whatever a later release adds is passed over; without what counts they say nothing."""
    told = json.loads(written(TERMS))

    assert read(written(TERMS)) == TERMS
    assert read(json.dumps({**told, "colour": "green"})) == TERMS
    assert read(json.dumps({key: it for key, it in told.items() if key != "prefix"})) is None
    assert read("{") is None


def test_the_same_settings_differ_in_nothing() -> None:
    """Nor does a topic that was made anew: that is a loss, and no setting."""
    assert [] == list(differences(TERMS, replace(TERMS, topics={"t.members": "id-2"})))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"cells_per_partition": 4},
            "controller.cells_per_partition is 4, but the checkpoint was started with 1",
        ),
        ({"prefix": "u."}, "topics.prefix is u., but the checkpoint was started with t.: set it"),
        ({"partitions": 16}, "topics.partitions is 16, but the checkpoint was started with 8: set"),
        ({"cluster": "kafka-2"}, "the Kafka behind kafka.bootstrap_servers is kafka-2, but the"),
        ({"sources": [["members", "heartbeats"]]}, "what the query reads is [['members', 'he"),
    ],
)
def test_a_difference_is_one_line(change: dict[str, object], line: str) -> None:
    """With the key, both values and what to do."""
    (told,) = differences(TERMS, replace(TERMS, **change))  # type: ignore[arg-type]  # by name

    assert str(told).startswith(line)


@pytest.mark.parametrize("state", READABLE)
def test_state_of_an_earlier_version_is_gone_on_with(state: int) -> None:
    """It is read, and from then on it has the present version: an older release is refused."""
    before = replace(TERMS, state=state)

    assert [] == list(differences(before, TERMS))
    assert TERMS == continued(before, TERMS.decides, 7, TERMS.topics)
    unnamed = replace(before, topics=dict.fromkeys(TERMS.topics, NO_ID))  # Kafka was upgraded
    assert TERMS == continued(unnamed, TERMS.decides, 7, TERMS.topics)
    assert TERMS == continued(before, TERMS.decides, 7, unnamed.topics)


def test_state_of_a_later_version_is_not() -> None:
    """The release that wrote it can be started, or a new checkpoint."""
    (told,) = differences(replace(TERMS, state=VERSION + 1), TERMS)

    assert str(told).startswith(
        "the version of the state is 2, but the checkpoint was started with 3"
    )
    assert NEW_CHECKPOINT in told.remedy


@pytest.mark.parametrize("key", ["prefix", "partitions", "cluster"])
def test_what_members_follow_is_not_moved_by_a_checkpoint(key: str) -> None:
    """A new checkpoint would find nobody there."""
    (told,) = differences(replace(TERMS, **{key: "another"}), TERMS)  # type: ignore[arg-type]  # by name

    assert NEW_CHECKPOINT not in told.remedy


def test_a_checkpoint_that_says_nothing_is_refused() -> None:
    """What is not known to be the same is not."""
    (told,) = differences(None, TERMS)

    assert NEW_CHECKPOINT in told.remedy


def test_an_option_that_spark_has_frozen_is_refused_too() -> None:
    """Spark itself would keep the old one in silence."""
    before = {"spark.sql.shuffle.partitions": "2", "spark.sql.x": "y"}
    (told,) = frozen(before, {"spark.sql.shuffle.partitions": "4", "spark.sql.x": "y"})

    assert str(told).startswith(
        "spark.sql.shuffle.partitions is 4, but the checkpoint was started with 2"
    )
    assert NEW_CHECKPOINT in told.remedy


def test_cells_that_were_dealt_unevenly_are_not_found_again() -> None:
    """With one task they are where they were, and so they are in checkpoints of this release."""
    then = read(
        json.dumps({k: it for k, it in json.loads(written(TERMS)).items() if k != "dealing"})
    )
    assert then is not None
    two = {"spark.sql.shuffle.partitions": "2"}

    (told,) = dealt_otherwise(then, two)
    assert "dealt cells to 2 tasks unevenly: move over with `trimtab run --new-ch" in str(told)
    assert [] == list(dealt_otherwise(then, {}))
    assert [] == list(dealt_otherwise(replace(then, dealing=DEALING), two))
