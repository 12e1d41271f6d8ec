"""What every record of the wire has in common: a version, a kind, and how strictly it is read.

Reading is strict about what is known (no "1" for 1, no true for 1, no NaN) and silent about what is
not: unknown fields are ignored, so that a newer writer may add some. Records are values: frozen,
comparable, and written with their fields in the order of declaration, so that equal records are
equal bytes.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema, JsonValue
from pydantic_core import core_schema

from trimtab.protocol.names import Incarnation, MemberName
from trimtab.protocol.quantities import Sequence
from trimtab.protocol.queues import LifeRef

Version = Annotated[
    Literal[1],
    # A plain Literal[1] would take true and 1.0 for 1, since Python's == does.
    GetPydanticSchema(
        lambda _source, _handler: core_schema.int_schema(ge=1, le=1, strict=True),
        lambda _schema, _handler: {"const": 1},
    ),
]


class Part(BaseModel):
    """A piece of a record: read as a record is, without a version of its own."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # what strangers wrote stays out of logs
    )


class Record(Part):
    """What one record on a topic says, complete in itself."""

    v: Version = Field(default=1, description="Version of the contract.")
    kind: str = Field(description="Which record of its topic this is.")


class MemberRecord(Record):
    """A record that one incarnation of a member sends."""

    member: MemberName
    incarnation: Incarnation
    sequence: Sequence

    @property
    def life(self) -> LifeRef:
        """Who sends it: one life of a member."""
        return LifeRef(self.member, self.incarnation)


def example(also: Mapping[str, JsonValue] | None = None, /, **fields: JsonValue) -> ConfigDict:
    """Name a record's example for the JSON Schema; it is also the reader's first impression.

    Args:
        also: What the schema has to say beside what the fields say.
        fields: The example.
    """
    return ConfigDict(json_schema_extra={**(also or {}), "examples": [{"v": 1, **fields}]})
