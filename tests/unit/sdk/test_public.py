"""What users see: the names, the errors, and nothing loaded that they do not need."""

import re
import subprocess
import sys

import pytest

import trimtab
from trimtab import errors, faults, protocol, session

PUBLIC = [trimtab, errors, faults, protocol, session]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: str(module.__name__))
def test_the_public_names_are_listed_in_order(module: object) -> None:
    """Constants, then classes, then functions, each in the order of the alphabet."""
    names: list[str] = module.__all__  # type: ignore[attr-defined]  # every module has it

    def rank(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2), name

    assert sorted(names, key=rank) == names
    assert [] == [name for name in names if not hasattr(module, name)]


def test_the_tree_of_errors_is_the_one_drawn() -> None:
    """Every error has one base, and the drawing leaves none out."""
    drawn = re.findall(r"(?:├── |└── )(\w+)", errors.__doc__ or "")
    tree = {name: vars(errors)[name] for name in errors.__all__ if name != "TrimtabError"}

    assert set(drawn) == set(tree)
    assert all(issubclass(error, errors.TrimtabError) for error in tree.values())
    assert set(tree) <= set(trimtab.__all__)
    ends = [errors.CallbackError, errors.ReplacedError, errors.StuckError]
    assert ends == errors.MemberFailedError.__subclasses__()


def test_importing_the_sdk_loads_no_kafka_client() -> None:
    """One is loaded when a member is made, and only the one that is used."""
    program = "import sys, trimtab, trimtab.aio; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout

    assert [] == re.findall(r"'(confluent_kafka|kafka|trimtab\.contracts)'", loaded)


def test_what_is_not_asked_for_is_not_loaded() -> None:
    """Whoever needs the wire alone, as a command does, waits for nothing else."""
    program = "import sys, trimtab.protocol; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    ours = {it.split(".")[1] for it in re.findall(r"'(trimtab\.[\w.]+)'", loaded)}

    assert {"protocol"} == ours
    assert "'asyncio'" not in loaded


def test_what_there_is_not_cannot_be_asked_for() -> None:
    """As of any module; the modules that there are can be."""
    assert not hasattr(trimtab, "Komsumer")
    assert not hasattr(trimtab, "_nothing")
    module = "aio"
    assert hasattr(getattr(trimtab, module), "Member")
    assert set(trimtab.__all__) <= set(dir(trimtab))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "library"), [("confluent", "confluent_kafka"), ("kafka-python", "kafka")]
)
@pytest.mark.parametrize("name", ["Consumer", "AsyncConsumer"])
def test_a_consumer_loads_the_client_that_was_chosen(name: str, client: str, library: str) -> None:
    """The other one need not be installed."""
    made = f'{name}("nowhere:1", group="g", topics=["t"], client="{client}")'
    program = f"import sys; from trimtab import {name}; {made}; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout

    assert [library] == re.findall(r"'(confluent_kafka|kafka)'", loaded)
