"""`trimtab faults`: check our fault rules against RocketMQ's, one JSON line after another.

The questions and answers themselves are in ``console.fault_cases``.
"""

from enum import StrEnum
from typing import Annotated

import typer

from console.commands.help import Command, group
from console.commands.options import Lines
from console.json_lines import answer_file

app = group()


class Table(StrEnum):
    """By whose rules brokers are judged."""

    ROCKETMQ_4 = "rocketmq-4"
    ROCKETMQ_5 = "rocketmq-5"
    CONSENSUS = "consensus"


@app.callback()
def faults() -> None:
    """The rules by which brokers are avoided.

    Examples:
      trimtab faults replay cases.jsonl --table rocketmq-5    what becomes of fault items
      trimtab faults select cases.jsonl                       which queue a message goes to
    """


@app.command(cls=Command)
def replay(
    file: Lines = None,
    *,
    table: Annotated[Table, typer.Option(help="Whose rules to use.")],
) -> None:
    """Answer cases of RocketMQ's fault tables, one JSON line each, in order.

    Each line is printed with the missing results: the duration of a call, the answers within a
    script, the order of items, the last resort. A line that cannot be answered gets {"error":
    {"message": ...}}. docs/faults.md describes the format; a file of one line may hold

      {"kind": "duration", "latency": 700, "isolation": false, "now": 1700000000000}

    With --table consensus a line is a record of topic latency, or a command, with the time of its
    arrival; it is printed with the verdicts that the controller would publish.

    Examples:
      trimtab faults replay cases.jsonl --table rocketmq-5
      trimtab faults replay records.jsonl --table consensus
      generate-cases | trimtab faults replay --table rocketmq-4 | jq .expect
    """
    from console.fault_cases import Consensus, table_answer
    from console.json_lines import answers
    from trimtab.faults import RULES

    rules = {str(name): rules for name, rules in RULES.items()}

    def answer(line: object) -> object:
        return table_answer(line, rules[table])

    asked = Consensus().answer if table is Table.CONSENSUS else answer
    answer_file(file, lambda lines: answers(lines, asked))


@app.command(cls=Command)
def select(file: Lines = None) -> None:
    """Answer cases of RocketMQ's queue selection, one JSON line each, in order.

    A line names the version (4.2, 4.9, 5), the queues, where the counter starts, and for each pick
    the broker of the try before it; the queues that are picked are put in. The format is described
    in docs/faults.md; a file of one line may hold

      {"version": "5.3.3", "kind": "plain", "queues": [["t", "a", 0], ["t", "b", 0]],
       "start_index": 0, "last_brokers": [null, "a"]}

    Examples:
      trimtab faults select cases.jsonl
      generate-cases | trimtab faults select | jq -c .expect
    """
    from console.fault_cases import selector_answer
    from console.json_lines import answers

    answer_file(file, lambda lines: answers(lines, selector_answer))
