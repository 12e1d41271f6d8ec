"""The SDK's README says what is so."""

import inspect
import re
from pathlib import Path
from typing import get_args

import pytest

from trimtab import errors
from trimtab.engine import State
from trimtab.kafka import ConsumerBinding
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


def test_every_option_of_a_binding_is_explained() -> None:
    """In the order in which they are declared."""
    section = README.split("## Reading Kafka")[1].split("##")[0]
    options = [
        name
        for name, it in inspect.signature(ConsumerBinding).parameters.items()
        if it.kind is inspect.Parameter.KEYWORD_ONLY
    ]

    assert options == re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)


def test_every_state_is_named() -> None:
    """Those of the session, and those before and beside it."""
    section = README.split("`member.state` is ")[1].split(".")[0]
    phases, others = get_args(State)

    assert {*get_args(phases), *get_args(others)} == set(re.findall(r"`(\w+)`", section))
    assert set(get_args(Phase)) == set(get_args(phases))


@pytest.mark.parametrize(
    "example",
    EXAMPLES,
    ids=["member", "kafka", "collecting", "asyncio", "asyncio-kafka", "producer"],
)
def test_the_examples_import_what_there_is(example: str) -> None:
    """They are programs, and the names that they import exist."""
    imports = [line for line in example.splitlines() if re.match(r"(from|import) ", line)]
    names: dict[str, object] = {}
    exec(compile("\n".join(imports), "README.md", "exec"), names)  # noqa: S102 - our own text
    compile(example, "README.md", "exec")

    assert {"Member", "Producer"} & names.keys()
    assert issubclass(errors.MemberFailedError, errors.TrimtabError)
