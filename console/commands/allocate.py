"""`trimtab allocate`: ask the strategies, one JSON line after another.

The questions and answers themselves are in ``console.allocation_cases``.
"""

from typing import Annotated

import typer

from console.commands.options import Lines
from console.json_lines import answer_file

Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE:FACTORY",
        show_default=False,
        help="A strategy of your own that scenarios may name. May be repeated.",
    ),
]


def allocate(file: Lines = None, plugins: Plugins = None) -> None:
    """Read allocation scenarios as JSON lines and write one JSON line for each, in order.

    What cannot be answered gets {"error": {"message": ...}}, and the next line follows. The
    format is described in docs/strategies.md; a file of one line may hold

      {"strategy": "AVG", "cids": ["a", "b"], "queues": [["t", "broker", 0], ["t", "broker", 1]]}
      {"strategy": "STICKY", "members": [{"id": "a", "topics": ["t"]}], "topics": {"t": 3}}

    Examples:
      trimtab allocate scenarios.jsonl
      trimtab allocate --plugin mine:lag_aware scenarios.jsonl
      generate-scenarios | trimtab allocate | jq .moves
    """
    from console.allocation_cases import answers

    answer_file(file, lambda lines: answers(lines, plugins or ()))
