"""The documents of the wire: up to date, valid, and true of real records."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.builders.checkout import text
from tests.builders.wire_examples import Golden, bad, golden
from trimtab.contracts import documents, write
from trimtab.protocol import TOPICS

CHECKED_IN = Path(__file__).parents[3] / "docs" / "contracts"
DOCUMENTS = documents()
SCHEMAS = sorted(path for path in DOCUMENTS if path.startswith("schemas/"))
ASYNCAPI = json.loads(DOCUMENTS["asyncapi.json"])
BEYOND = {
    "queue is named twice": "names a queue once",
    "too many queues": "10,000 in all",
    "more errors": "errors <= count",
    "p50 <= p99": "p50 <= p99 <= max",
    "runs: ": "the runs of a route",
    "one address": "addresses are as many",
    "from nobody": "a row numbers a list",
    "to nobody": "a row numbers a list",
    "later": "no grant later than its record",
}
"""What is refused though no schema can say so, and where the index does."""


def validator(topic: str, kind: str) -> Draft202012Validator:
    """The checker of one record type."""
    return Draft202012Validator(json.loads(DOCUMENTS[f"schemas/{topic}.{kind}.json"]))


def references(document: object) -> list[str]:
    """Every reference in a document."""
    if isinstance(document, dict):
        own = [document["$ref"]] if "$ref" in document else []
        return own + [ref for value in document.values() for ref in references(value)]
    return (
        [ref for item in document for ref in references(item)] if isinstance(document, list) else []
    )


def resolved(reference: str) -> Any:  # noqa: ANN401 - whatever is there
    """What a reference of the AsyncAPI document leads to."""
    path, _, pointer = reference.partition("#")
    found = json.loads(DOCUMENTS[path.removeprefix("./")]) if path else ASYNCAPI
    for step in filter(None, pointer.split("/")):
        found = found[step]
    return found


def test_what_is_checked_in_is_what_the_models_say() -> None:
    """Run `python -m trimtab.contracts docs/contracts` after changing a model."""
    found = {
        str(path.relative_to(CHECKED_IN)): path.read_text(encoding="utf-8")
        for path in CHECKED_IN.rglob("*")
        if path.is_file()
    }

    assert DOCUMENTS == found


def test_writing_leaves_nothing_stale(tmp_path: Path) -> None:
    """A record type that is gone takes its schema with it."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "old.json").touch()
    write(tmp_path)

    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert set(DOCUMENTS) == written


@pytest.mark.parametrize("path", SCHEMAS)
def test_schemas_are_valid_and_open(path: str) -> None:
    """JSON Schema 2020-12, with a name of their own; readers ignore what they do not know."""
    schema = json.loads(DOCUMENTS[path])
    Draft202012Validator.check_schema(schema)

    assert f"urn:trimtab:v1:{path[8:-5].replace('.', ':')}" == schema["$id"]
    assert (True, ["v", "kind"]) == (schema["additionalProperties"], schema["required"][:2])


@pytest.mark.parametrize("path", SCHEMAS)
def test_examples_are_valid(path: str) -> None:
    """A reader may copy them."""
    schema = json.loads(DOCUMENTS[path])
    for example in schema["examples"]:
        Draft202012Validator(schema).validate(example)

    assert schema["examples"]


@pytest.mark.parametrize("record", golden(), ids=str)
def test_golden_records_keep_the_contract(record: Golden) -> None:
    """Whoever builds a reader from the schemas can read everything that was ever written."""
    document = json.loads(record.wire)

    assert [] == list(validator(record.topic, document["kind"]).iter_errors(document))


def test_the_schemas_refuse_what_we_refuse() -> None:
    """Except what no schema can say: that a queue is named once, and the like. The index has it."""
    sayable = [
        (record, json.loads(record.value))
        for record in bad()
        if record.reason == "invalid" and not any(it in record.detail for it in BEYOND)
    ]
    accepted = [
        str(record)
        for record, document in sayable
        if b"NaN" not in record.value  # which is no JSON to begin with
        if validator(record.topic, document["kind"]).is_valid(document)
    ]

    assert [] == accepted
    assert [] == [it for it in BEYOND.values() if it not in DOCUMENTS["README.md"]]


def test_asyncapi_names_every_topic_and_record() -> None:
    """Channels are topics, messages are records."""
    messages = {f"{topic.name}.{kind}" for topic in TOPICS.values() for kind in topic.kinds}

    assert list(TOPICS) == list(ASYNCAPI["channels"])
    assert messages == set(ASYNCAPI["components"]["messages"])
    assert "3.0.0" == ASYNCAPI["asyncapi"]


def test_asyncapi_gives_the_controller_the_rights_that_it_needs() -> None:
    """Whoever makes ACLs from it gets a controller that can write its start."""
    table = text(Path("docs/rights.md")).split("| **controller** | ")[1].split("\n| **")[0]
    actions = {"Read": "receive", "Write": "send"}
    needed = {
        f"{action}{topic.capitalize()}"
        for row in table.splitlines()
        for right, action in actions.items()
        if f" | {right} |" in row
        for topic in re.findall(r"`t\.(\w+)`", row)
    }

    assert needed == set(ASYNCAPI["operations"])


def test_asyncapi_names_what_the_controller_says_where_others_speak() -> None:
    """It beats for nobody, reports of no broker, and gives one command, for the pace."""
    sent = {
        name.removeprefix("send").lower(): [it["$ref"].rpartition("/")[2] for it in told]
        for name, operation in ASYNCAPI["operations"].items()
        if (told := operation.get("messages"))
    }

    assert sent == {
        "heartbeats": ["tick"],
        "latency": ["hosts"],
        "commands": ["pace"],
        "controllers": ["controller"],
    }


def test_no_record_of_the_controller_is_taken_for_a_group() -> None:
    """Whoever looks at all keys of these topics finds three that are none."""
    own = {"heartbeats.tick": "$tick", "routes.start": "$start", "routes.told": "$told"}
    messages = ASYNCAPI["components"]["messages"]
    keys = {name: it["bindings"]["kafka"]["key"] for name, it in messages.items()}
    rows = [it.split(" | ") for it in DOCUMENTS["README.md"].splitlines() if "](schemas/" in it]

    assert own == {name: it["const"] for name, it in keys.items() if "const" in it}
    assert [f"`{it}`" for it in own.values()] == [key for _, key, *_ in rows if "$" in key]


def test_asyncapi_references_lead_somewhere() -> None:
    """Within the document and to the schemas beside it."""
    found = references(ASYNCAPI)

    assert [] == [reference for reference in found if not resolved(reference)]
    assert len(found) > 2 * len(SCHEMAS)


@pytest.mark.parametrize("name", TOPICS)
def test_asyncapi_says_how_a_topic_is_configured(name: str) -> None:
    """The Kafka binding has what an administrator needs to create it."""
    kafka = ASYNCAPI["channels"][name]["bindings"]["kafka"]
    policy = "compact" if TOPICS[name].compacted else "delete"

    assert (f"trimtab.{name}", 8, "0.5.0") == (
        kafka["topic"],
        kafka["partitions"],
        kafka["bindingVersion"],
    )
    assert [policy] == kafka["topicConfiguration"]["cleanup.policy"]
