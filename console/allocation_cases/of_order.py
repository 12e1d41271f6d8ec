"""Java's order of names and queues, which decides who gets what.

``{"kind": "cids" or "queues", "input": […]}`` is answered with the list as ``Collections.sort``
leaves it, ``{"kind": "compare_string" or "compare_queue", "a", "b"}`` with what ``compareTo``
returns. Called by the package. The fields are those of the golden vectors in
tests/fixtures/vectors.
"""

from collections.abc import Mapping

from allocators.java_order import compare_queues, compare_strings, queue_order
from allocators.options import BadOption, Options, queue_of
from rebalance.ids import java_order

KINDS = ("cids", "queues", "compare_string", "compare_queue")


def order_answer(scenario: Mapping[str, object]) -> object:
    """Answer one question, or raise what is wrong with it."""
    fields = Options(scenario)
    match fields.text("kind"):
        case "cids":
            return {"result": sorted(fields.texts("input") or (), key=java_order)}
        case "queues":
            ordered = sorted(fields.queues("input") or (), key=queue_order)
            return {"result": [list(queue) for queue in ordered]}
        case "compare_string":
            return {"result": compare_strings(_text(fields, "a"), _text(fields, "b"))}
        case "compare_queue":
            left, right = (queue_of(fields.raw(name), name) for name in ("a", "b"))
            return {"result": compare_queues(left, right)}
        case kind:
            raise BadOption(f"kind is {kind!r}, it must be one of {', '.join(KINDS)}")


def _text(fields: Options, name: str) -> str:
    text = fields.text(name)
    if text is None:
        raise BadOption(f"{name} is missing")
    return text
