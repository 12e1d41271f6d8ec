"""The SDK's README says what is so."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.builders.checkout import text
from tests.builders.examples import programs
from trimtab import errors
from trimtab.consuming.choice import ConsumerOptions
from trimtab.engine import State
from trimtab.options import Options
from trimtab.producer import ProducerOptions
from trimtab.session import Phase

README = (Path(__file__).parents[3] / "clients" / "python" / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("heading", "options"), [("Options", Options), ("Producers", ProducerOptions)]
)
def test_every_option_is_explained(heading: str, options: type) -> None:
    """In the order in which they are declared."""
    section = README.split(f"## {heading}")[1].split("##")[0]

    assert list(options.__annotations__) == re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)


def test_every_option_of_a_consumer_is_explained() -> None:
    """Those that a member does not have, in the order in which they are declared."""
    section = README.split("## Reading Kafka")[1].split("## ")[0]
    table = section.split("| option |")[1]
    options = [it for it in ConsumerOptions.__annotations__ if it not in Options.__annotations__]

    assert options == re.findall(r"^\| `(\w+)`", table, flags=re.MULTILINE)


def test_the_fence_of_the_readme_refuses_an_older_owner() -> None:
    """The effect and the token are in one transaction."""
    names: dict[str, Any] = {}
    (example,) = [it for it in EXAMPLES if "sqlite3" in it]
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own text
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE fence (queue TEXT PRIMARY KEY, token INTEGER)")
        database.execute("CREATE TABLE balance (amount INTEGER)")
        database.execute("INSERT INTO balance VALUES (0)")
        tried = [names["apply"](database, "orders-0", token, 1) for token in (7, 7, 9, 7, 9)]
        (amount,) = database.execute("SELECT amount FROM balance").fetchone()

    assert ([True, True, True, False, True], 4) == (tried, amount)


def test_every_state_is_named() -> None:
    """Those of the session, and those before and beside it."""
    section = README.split("`member.state` is ")[1].split(".")[0]
    phases, others = get_args(State)

    assert {*get_args(phases), *get_args(others)} == set(re.findall(r"`(\w+)`", section))
    assert set(get_args(Phase)) == set(get_args(phases))


@pytest.mark.parametrize(
    "example",
    EXAMPLES,
    ids=["member", "consumer", "collecting", "fencing", "sending", "asyncio", "async", "producer"],
)
def test_the_examples_import_what_there_is(example: str) -> None:
    """They are programs, and the names that they import exist."""
    imports = [line for line in example.splitlines() if re.match(r"(from|import) ", line)]
    names: dict[str, object] = {}
    exec(compile("\n".join(imports), "README.md", "exec"), names)  # noqa: S102 - our own text
    compile(example, "README.md", "exec")

    assert {"AsyncConsumer", "Consumer", "Member", "Producer"} & names.keys()
    assert issubclass(errors.MemberFailedError, errors.TrimtabError)


def test_the_first_program_is_the_same_everywhere() -> None:
    """The project's README shows what the SDK's shows, where it is run as printed."""
    (first,) = programs(text(Path("README.md")))
    bare = [re.sub(r"  # .*", "", example) for example in EXAMPLES]

    assert first in bare
