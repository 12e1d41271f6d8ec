"""What nobody asks librdkafka, because its answer may end the process (fault H14)."""

import ast
from typing import Final

import pytest

from tests.builders.checkout import modules, nodes, text

ENDS_PROCESSES: Final = {
    "describe_cluster": set[str](),
    "list_consumer_group_offsets": {"console/subscribers_process.py"},
}
"""And who asks it all the same: a process that is made for that."""


@pytest.mark.parametrize("question", ENDS_PROCESSES)
def test_nobody_asks_librdkafka_what_may_end_the_process(question: str) -> None:
    """What the moment of an answer decides, a test of processes rarely meets."""
    assert ENDS_PROCESSES[question] == reading(question)


def test_what_is_said_with_a_commit_is_read_in_one_place() -> None:
    """confluent-kafka reads on behind its end now and then, and what is there may be no text."""
    found = reading("metadata") - {"clients/python/src/trimtab/consuming/kafka_python.py"}

    assert {"clients/python/src/trimtab/consuming/confluent.py"} == found


def reading(attribute: str) -> set[str]:
    """Which of our modules that use it read an attribute of that name."""
    return {
        str(path)
        for path in modules(tests=False)
        if "confluent_kafka" in text(path)
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == attribute
    }
