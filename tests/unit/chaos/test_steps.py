"""A trap springs at the step that it is set for, in a folder that is written as Spark writes it."""

from collections import Counter
from pathlib import Path

import pytest

from chaos.kills import Kill, found, in_turn, missed
from chaos.steps import Step, Trap, batches
from console.errors import Failure

PLACE = ("t.members", 0)
END = 400


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """One in which batch 6 is done."""
    for folder in ("offsets", "commits"):
        (tmp_path / folder).mkdir()
    plan(tmp_path, 6, 3)
    commit(tmp_path, 6)
    return tmp_path


def plan(checkpoint: Path, batch: int, end: int) -> None:
    """Plan a batch that reads up to there."""
    write(checkpoint / "offsets", batch, f'v1\n{{}}\n{{"t.members":{{"0":{end}}}}}')


def commit(checkpoint: Path, batch: int) -> None:
    """Be done with it."""
    write(checkpoint / "commits", batch, "v1\n{}")


def write(folder: Path, batch: int, text: str) -> None:
    """Write a file aside, and rename it."""
    draft = folder / f".{batch}.5e1d.tmp"
    draft.write_text(text)
    draft.rename(folder / str(batch))


@pytest.mark.parametrize("step", [Step.AFTER_OFFSETS, Step.AFTER_SINK, Step.AFTER_COMMIT])
def test_a_trap_waits_for_the_batch_that_counts(checkpoint: Path, step: Step) -> None:
    """Batches that do not read the records are passed over."""
    with Trap(checkpoint) as trap:
        plan(checkpoint, 7, 3)
        commit(checkpoint, 7)
        plan(checkpoint, 8, END)
        commit(checkpoint, 8)
        trap.sprung(step, PLACE, END, lambda: False)

    assert [6, 7, 8] == batches(checkpoint, "commits")


def test_in_the_sink_is_when_something_is_published(checkpoint: Path) -> None:
    """It is asked for again and again, once the batch is planned."""
    answers = iter([False, False, True])
    with Trap(checkpoint) as trap:
        plan(checkpoint, 7, END)
        trap.sprung(Step.MID_SINK, PLACE, END, lambda: next(answers))

    assert [] == list(answers)


def test_each_step_comes_once_before_any_comes_again() -> None:
    """In an order that the seed says."""
    drawn = list(in_turn(7, 12))

    assert drawn == list(in_turn(7, 12))
    assert dict.fromkeys(Step, 2) == Counter(drawn[:10])
    assert 2 == len(set(drawn[10:]))


def test_a_step_that_was_never_hit_is_named() -> None:
    """If there were kills enough for each of them."""
    late = [Kill(it, Step.AFTER_COMMIT if it is Step.MID_SINK else it, 0, 1.0) for it in Step]

    assert [Step.MID_SINK] == missed(late)
    assert [] == missed([*late, Kill(Step.AFTER_SINK, Step.MID_SINK, 9, 1.0)])
    assert [] == missed(late[:4])


@pytest.mark.parametrize("unseen", ["not_judged", "not_examined"])
def test_what_the_auditor_could_not_judge_is_not_right(unseen: str) -> None:
    """A topic of which there is no record, an eviction without its cause, garbage."""
    result: dict[str, list[object]] = {"violations": [], "not_judged": [], "not_examined": []}
    assert [] == found(result)
    with pytest.raises(Failure, match="cannot judge"):
        found(result | {unseen: ["I6: there is no record of history"]})
