"""The wire as documents: JSON Schema for each record, AsyncAPI for the topics, and an index.

`python -m trimtab.contracts docs/contracts` writes them; a test fails when the checked-in files
differ from the models. Nothing imports this module at run time. Its one rule: everything here is
derived from the models and the table of topics, and nothing is written by hand.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from trimtab.protocol import TOPICS, Record, Topic, TopicSpec, topic_specs
from trimtab.protocol.topics import OWN_KEYS

Document = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_BINDING: Final = {"bindingVersion": "0.5.0"}
_RECEIVED: Final = TOPICS.keys() - {"brokers", "history", "deadletters"}
_SENT: Final = TOPICS.keys() - {"members", "rocketmq"}
"""What the controller reads and writes; much of it is both, for itself and other controllers."""
_OF_ITS_OWN: Final = {
    "heartbeats": "tick",
    "latency": "hosts",
    "commands": "pace",
    "controllers": "controller",
}
"""The one kind that it writes where others write the rest."""
_INDEX: Final = """# The contracts of the wire

Generated from `trimtab.protocol` by `python -m trimtab.contracts docs/contracts`. JSON Schema
2020-12 for each record; topics, keys and Kafka settings are also in [asyncapi.json](asyncapi.json).
Readers ignore fields that they do not know. Every topic has the broker's time (LogAppendTime).
No schema can say the following; a record that breaks it is refused whole:

- It names a queue once, and 10,000 in all; the runs of a route hold no id beyond the largest.
- Where a row numbers a list (`to`, `from`), that list is so long.
- What is adopted has no grant later than its record.
- Of a broker, errors <= count and p50 <= p99 <= max; addresses are as many as the brokers.
- A report's `incarnation` begins no more than a day ahead of the broker's clock.

| topic | key | policy | record | what it says |
|---|---|---|---|---|
"""


class _WithoutFieldTitles(GenerateJsonSchema):
    """Pydantic repeats each field's name as its title."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Never."""
        del schema
        return False


def documents() -> dict[str, str]:
    """Every document, by its path."""
    schemas = {
        _path(topic, kind): _schema(topic, kind, model)
        for topic in TOPICS.values()
        for kind, model in topic.kinds.items()
    }
    written = {path: _json(schema) for path, schema in schemas.items()}
    return written | {"asyncapi.json": _json(_asyncapi()), "README.md": _INDEX + _table()}


def write(folder: Path) -> None:
    """Write every document, and remove what is none any more."""
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    for stale in (folder / "schemas").glob("*.json"):
        stale.unlink()
    for path, text in documents().items():
        (folder / path).write_text(text, encoding="utf-8")


def _path(topic: Topic[Any], kind: str) -> str:
    return f"schemas/{topic.name}.{kind}.json"


def _json(document: Document) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _schema(topic: Topic[Any], kind: str, model: type[Record]) -> Document:
    schema = model.model_json_schema(schema_generator=_WithoutFieldTitles)
    # Both have a value by default when a record is made, but a reader must be told.
    required = ["v", "kind", *(name for name in schema["required"] if name not in {"v", "kind"})]
    for name in ("v", "kind"):
        del schema["properties"][name]["default"]
    return {
        "$schema": _DIALECT,
        "$id": f"urn:trimtab:v1:{topic.name}:{kind}",
        **schema,
        "title": f"{topic.name}: {kind}",
        "required": required,
        "additionalProperties": True,
        "examples": _examples(model),
    }


def _asyncapi() -> Document:
    specs = topic_specs()
    return {
        "asyncapi": "3.0.0",
        "id": "urn:trimtab:v1",
        "info": {
            "title": "trimtab",
            "version": "1.0.0",
            "description": "What members, producers, operators and the controller say to each "
            "other through Kafka; the controller's point of view. The prefix of the topics and "
            "their number of partitions are settings, shown here with their defaults.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {spec.topic.name: _channel(spec) for spec in specs},
        "operations": dict(_operations()),
        "components": {"messages": dict(_messages())},
    }


def _channel(spec: TopicSpec) -> Document:
    topic = spec.topic
    config: Document = {
        name: int(value) if value.isdecimal() else value for name, value in spec.config.items()
    }
    return {
        "address": spec.name,
        "description": topic.about,
        "messages": {
            kind: {"$ref": f"#/components/messages/{topic.name}.{kind}"} for kind in topic.kinds
        },
        "bindings": {
            "kafka": {
                "topic": spec.name,
                "partitions": spec.partitions,
                "replicas": spec.replication,
                "topicConfiguration": config | {"cleanup.policy": [config["cleanup.policy"]]},
                **_BINDING,
            }
        },
    }


def _operations() -> Iterator[tuple[str, Document]]:
    for name in TOPICS:
        channel = f"#/channels/{name}"
        both: Document = {"channel": {"$ref": channel}}
        if name in _RECEIVED:
            yield f"receive{name.capitalize()}", {"action": "receive", **both}
        if name in _SENT:
            kind = _OF_ITS_OWN.get(name)
            named = {"messages": [{"$ref": f"{channel}/messages/{kind}"}]} if kind else {}
            yield f"send{name.capitalize()}", {"action": "send", **both, **named}


def _messages() -> Iterator[tuple[str, Document]]:
    for topic in TOPICS.values():
        for kind, model in topic.kinds.items():
            yield (
                f"{topic.name}.{kind}",
                {
                    "name": kind,
                    "summary": _summary(model),
                    "payload": {
                        "schemaFormat": "application/schema+json;version=draft-2020-12",
                        "schema": {"$ref": f"./{_path(topic, kind)}"},
                    },
                    "bindings": {"kafka": {"key": _key(topic, model), **_BINDING}},
                    "examples": [{"payload": example} for example in _examples(model)],
                },
            )


def _key(topic: Topic[Any], model: type[Record]) -> Document:
    if model in OWN_KEYS:
        return {"type": "string", "const": OWN_KEYS[model].decode()}
    spelt = (
        '; a "/" of the first name is written "%2F", its "%" is "%25"' if "/" in topic.key else ""
    )
    return {"type": "string", "description": topic.key + spelt}


def _examples(model: type[Record]) -> list[Any]:
    """As they were written: the schema generator would sort their fields."""
    extra = model.model_config["json_schema_extra"]
    assert isinstance(extra, dict)
    examples = extra["examples"]
    assert isinstance(examples, list)
    return examples


def _summary(model: type[Record]) -> str:
    return (model.__doc__ or "").split("\n", 1)[0]


def _table() -> str:
    rows = []
    for topic in TOPICS.values():
        days = "compact" if topic.retention_ms is None else f"{topic.retention_ms / 86_400_000:g} d"
        for kind, model in topic.kinds.items():
            link = f"[{kind}]({_path(topic, kind)})"
            key = f"`{OWN_KEYS[model].decode()}`" if model in OWN_KEYS else topic.key
            rows.append(f"| {topic.name} | {key} | {days} | {link} | {_summary(model)} |\n")
        if not topic.kinds:
            rows.append(f"| {topic.name} | {topic.key} | {days} | | {topic.about} |\n")
    return "".join(rows)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
