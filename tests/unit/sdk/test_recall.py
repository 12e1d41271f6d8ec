"""What is kept of recent releases."""

from tests.builders.sessions import OTHERS, a_release, queue
from trimtab.session.recall import Recall, Said, Source


def test_recall_forgets_the_oldest() -> None:
    """Memory is bounded; what is forgotten is only slower."""
    recall = Recall(capacity=2)
    recall.hear(a_release("a", (0, 1, None, 2), (1, 1, None, 2), (2, 1, None, 2)))

    known = [n for n in range(3) if recall.first(queue(n), Source("a", OTHERS, 1)) is not None]
    assert [1, 2] == known


def test_a_second_release_does_not_count_when_the_first_is_forgotten() -> None:
    """It may name another: so it is forgotten as well, and those of earlier grants."""
    recall = Recall(capacity=1)
    recall.hear(a_release("a", (0, 5, None, 6)))
    recall.hear(a_release("a", (1, 1, None, 2)))
    recall.hear(a_release("a", (0, 5, None, 7)))
    assert recall.first(queue(), Source("a", OTHERS, 5)) is None
    recall.hear(a_release("b", (0, 4, None, 5)))
    assert recall.first(queue(), Source("b", OTHERS, 4)) is None

    recall.hear(a_release("b", (0, 6, 42, 7)))
    assert Said(42, 7) == recall.first(queue(), Source("b", OTHERS, 6))


def test_what_was_forgotten_is_forgotten_for_so_many_queues_only() -> None:
    """Whoever invents names of queues fills no memory; a second release counts no more for it."""
    recall = Recall(capacity=2)
    recall.hear(a_release("a", (0, 5, None, 6)))
    for place in range(1, 9):
        recall.hear(a_release("b", (place, 3, None, 4)))
    assert 2 == len(recall._forgotten)  # noqa: SLF001 - its size is what is bounded

    recall.hear(a_release("a", (0, 5, None, 7)))
    assert recall.first(queue(), Source("a", OTHERS, 5)) is None

    recall.hear(a_release("a", (0, 6, 42, 7)))
    assert Said(42, 7) == recall.first(queue(), Source("a", OTHERS, 6))
