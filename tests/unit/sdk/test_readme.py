"""The SDK's README says what is so."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from confluent_kafka import Message

from tests.builders.checkout import files, text
from tests.builders.examples import programs
from trimtab import errors
from trimtab.consuming.choice import ConsumerOptions
from trimtab.consuming.kafka_python_message import KafkaPythonMessage
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


@pytest.fixture
def fencing() -> dict[str, Any]:
    """What the example of fencing defines."""
    names: dict[str, Any] = {}
    (example,) = [it for it in EXAMPLES if "sqlite3" in it]
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own text
    return names


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """A database with a balance of 0."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE balance (amount INTEGER)")
        made.execute("INSERT INTO balance VALUES (0)")
        yield made


class _Taken(NamedTuple):
    """A message, and the token under which it came."""

    token: int
    at: int

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.at

    def value(self) -> bytes:
        return b"1"


class _Handed(list[_Taken]):
    """A consumer that hands these out."""

    def token(self, message: _Taken) -> int:
        return message.token


def _balance(database: sqlite3.Connection) -> int:
    (amount,) = database.execute("SELECT amount FROM balance").fetchone()
    return int(amount)


def test_the_fence_of_the_readme_refuses_an_older_owner(
    fencing: dict[str, Any], database: sqlite3.Connection
) -> None:
    """The effect and the token are in one transaction, and who is refused hears of it."""
    fencing["work"](_Handed([_Taken(7, 0), _Taken(7, 1), _Taken(9, 2)]), database)
    with pytest.raises(RuntimeError, match="orders-0: a greater token than 7"):
        fencing["work"](_Handed([_Taken(7, 3)]), database)
    fencing["work"](_Handed([_Taken(9, 3)]), database)

    assert 4 == _balance(database)


@pytest.mark.parametrize("token", [7, 9])
def test_the_fence_of_the_readme_has_each_effect_once(
    fencing: dict[str, Any], database: sqlite3.Connection, token: int
) -> None:
    """Messages come again to the same owner after an error, and to an heir after a crash."""
    fencing["work"](_Handed([_Taken(7, 0), _Taken(7, 1)]), database)
    fencing["work"](_Handed([_Taken(token, 0), _Taken(token, 1), _Taken(token, 2)]), database)

    assert 3 == _balance(database)


def test_a_repeated_message_keeps_an_older_owner_out_as_well(
    fencing: dict[str, Any], database: sqlite3.Connection
) -> None:
    """Its owner has begun, though it has had no effect yet."""
    fencing["work"](_Handed([_Taken(7, 0), _Taken(9, 0)]), database)
    with pytest.raises(RuntimeError, match="a greater token than 7"):
        fencing["work"](_Handed([_Taken(7, 1)]), database)


def test_the_fence_of_the_readme_keeps_groups_apart(
    fencing: dict[str, Any], database: sqlite3.Connection
) -> None:
    """Tokens are a group's own, and two groups may read one topic into one database."""
    for group, token, at in (("billing", 9, 0), ("audit", 2, 0), ("billing", 10, 1)):
        fencing["GROUP"] = group
        fencing["work"](_Handed([_Taken(token, at)]), database)

    assert 3 == _balance(database)


def test_where_tokens_begin_anew_only_those_of_the_group_do(
    fencing: dict[str, Any], database: sqlite3.Connection
) -> None:
    """Names that are alike are other groups, and what is done stays done."""
    (anew,) = re.findall(r"`(UPDATE fence .*? = 'billing')`", README)
    for group in ("bil_ing", "billing"):
        fencing["GROUP"] = group
        fencing["work"](_Handed([_Taken(9, 0)]), database)
    with database:
        database.execute(anew.replace("billing", "bil_ing"))
    with pytest.raises(RuntimeError):
        fencing["work"](_Handed([_Taken(1, 1)]), database)
    fencing["GROUP"] = "bil_ing"
    fencing["work"](_Handed([_Taken(1, 0), _Taken(1, 1)]), database)

    assert 3 == _balance(database)


def test_no_page_has_a_store_forget_what_is_done() -> None:
    """Where tokens begin anew, the next offset beside them still keeps each effect to once."""
    sentences = [it for page in files("*.md") for it in re.split(r"(?<=[.:]) ", text(page))]
    told = [it for it in sentences if "remembers" in it and re.search(r"(delete|set) ", it)]

    assert told
    assert [] == [it for it in told if "to 0" not in it]


def test_the_methods_of_a_message_are_named() -> None:
    """Those that there are with either client."""
    (told,) = re.findall(r"by these methods: (.*?);", README)
    methods = re.findall(r"`(\w+)`", told)

    assert {*methods, "record"} == {it for it in dir(KafkaPythonMessage) if it[0] != "_"}
    assert {*methods} < {*dir(Message)}


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
