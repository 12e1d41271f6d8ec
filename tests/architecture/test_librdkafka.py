"""What nobody asks librdkafka, because its answer may end the process (fault H14)."""

import ast

from tests.builders.checkout import modules, nodes, text


def test_nobody_asks_librdkafka_for_the_cluster() -> None:
    """What the moment of an answer decides, a test of processes rarely meets."""
    asking = [
        f"{path}:{node.lineno}"
        for path in modules(tests=False)
        if "confluent_kafka" in text(path)
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "describe_cluster"
    ]

    assert [] == asking
