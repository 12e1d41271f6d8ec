"""Every golden vector that the real RocketMQ classes wrote for allocation, order and POP.

The vectors come from the published jars (5.3.3; 4.9.8 answers the same), never from a formula of
ours.
"""

from collections.abc import Callable, Iterable

from allocators.java_order import compare_queues, compare_strings, queue_order, queue_text
from allocators.options import Options
from allocators.rocketmq.consistent_hash import ring_hash
from allocators.rocketmq.contract import NullRefused, Refused, Round, Share
from allocators.rocketmq.named import rocketmq
from allocators.rocketmq.pop import shared
from rebalance.ids import Queue, java_order
from tests.builders.allocation_vectors import ALLOCATE, ORDER, POP, queues
from tests.builders.lines import Line, of_each

JAVA_CLASS = {
    Refused: "java.lang.IllegalArgumentException",
    NullRefused: "java.lang.NullPointerException",
}

Test = Callable[[Line], None]


def cases(lines: Iterable[Line], field: str) -> Callable[[Test], Callable[[], None]]:
    """Make one test of the lines that have a field."""
    return of_each([line for line in lines if field in line])


def dealt(line: Line) -> Round:
    """Ask the strategy of a line."""
    options = Options(line["params"])
    strategy = rocketmq(line["strategy"], options)
    options.nothing_left()
    return Round(strategy, queues(line["queues"]), line["cids"])


def outcome(ask: Callable[[], Share]) -> object:
    """Write an answer or a refusal as the vectors do."""
    try:
        share = ask()
    except Refused as refused:
        return {"error": {"class": JAVA_CLASS[type(refused)], "message": refused.message}}
    return None if share is None else [list(queue) for queue in share]


def expected(line: Line) -> object:
    """Return what the real classes answered."""
    return {"error": line["error"]} if "error" in line else line["expect"]


@cases(ALLOCATE, "cid")
def test_one_client_gets_what_java_gives_it(line: Line) -> None:
    """One client's share, its order, or its refusal are RocketMQ's."""
    assert expected(line) == outcome(lambda: dealt(line).share(line["cid"]))


@cases(ALLOCATE, "expect_by_cid")
def test_everybody_gets_what_java_gives_them(line: Line) -> None:
    """One pass answers every client as a call of its own would have."""
    everybody = dealt(line)
    for client, answer in line["expect_by_cid"]:
        assert answer == outcome(lambda asked=client: everybody.share(asked))  # type: ignore[misc]  # lambda


@cases([line for line in ALLOCATE if line["case"] == "construct"], "params")
def test_constructors_accept_and_refuse_as_java(line: Line) -> None:
    """A strategy that cannot be built says so with Java's words."""
    try:
        made: object = {"name": rocketmq(line["strategy"], Options(line["params"])).name}
    except Refused as refused:
        made = {"error": {"class": JAVA_CLASS[type(refused)], "message": refused.message}}
    assert expected(line) == made


@cases(ALLOCATE, "key")
def test_ring_places_are_java_s(line: Line) -> None:
    """The hash is the first four bytes of the MD5, unsigned."""
    assert line["expect"] == ring_hash(line["key"])


@cases(POP, "K")
def test_one_client_pops_what_java_lets_it(line: Line) -> None:
    """One client's shared queues or its refusal are RocketMQ's."""
    assert expected(line) == outcome(lambda: shared(dealt(line), line["cid"], line["K"]))


@cases(POP, "expect_by_k")
def test_everybody_pops_what_java_lets_them(line: Line) -> None:
    """For every K, everybody's shared queues are RocketMQ's."""
    everybody = dealt(line)
    for following, answers in line["expect_by_k"]:
        for client, answer in answers:
            assert answer == [list(queue) for queue in shared(everybody, client, following)]


@cases(ORDER, "sorted")
def test_lists_sort_as_in_java(line: Line) -> None:
    """Clients and queues sort by UTF-16 units."""
    if line["kind"] == "cids":
        assert line["sorted"] == sorted(line["input"], key=java_order)
    else:
        assert queues(line["sorted"]) == sorted(queues(line["input"]) or [], key=queue_order)


@cases([line for line in ORDER if line["kind"] == "compare_string"], "expect")
def test_strings_compare_as_in_java(line: Line) -> None:
    """``String.compareTo`` is a difference of units or of lengths."""
    assert line["expect"] == compare_strings(line["a"], line["b"])


@cases([line for line in ORDER if line["kind"] == "compare_queue"], "expect")
def test_queues_compare_as_in_java(line: Line) -> None:
    """``MessageQueue.compareTo`` and ``toString``, 32-bit overflow included."""
    left, right = Queue(*line["a"]), Queue(*line["b"])
    assert line["expect"] == compare_queues(left, right)
    assert line["equals"] == (left == right)
    assert line["string_a"] == queue_text(left)
