"""Shelves: how the rows of a record that names queues stand on the wire.

In Python a row is flat: topic, broker, id, and what is said of that queue. On the wire the rows of
one topic and broker stand together, without the two: `{"topic": "orders", "queues": [[0, 3]]}`. A
record may name ten thousand queues, and names take most of the room; so each is written once. A
broker without a name, as Kafka's, is left out. For the same reason the lives that a queue is
inherited from, or goes to, stand in a list of their own, and a row gives the number in that list.

Annotates the types of `queues`. The rows come back as they went, shelf by shelf.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, get_args, get_type_hints

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from trimtab.protocol import limits

_NAMES: Final = 2
"""What a shelf says for all its rows: topic and broker."""
_GIVER: Final = ("from_member", "from_incarnation")
_PLACE: Final = 2
"""Where a row on an heir's shelf says whom it means: after id and epoch."""
_TAKER: Final = "to"
"""What a row ends with that says to whom the queue goes, if it says so."""

_STRICT: Final[core_schema.CoreConfig] = {"strict": True}
"""As every record; an object within one does not take it over by itself."""

Rows = Sequence[tuple[Any, ...]]


class Row:
    """Reads a JSON array into a NamedTuple. Pydantic's own way costs twice as much per row."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[Any, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        cells = list(_cells(source, handler).values())
        make = getattr(source, "_make")  # noqa: B009 - not declared on `tuple`, by which it is typed
        return core_schema.no_info_after_validator_function(make, core_schema.tuple_schema(cells))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(schema)


class Shelved:
    """Reads and writes a tuple of rows as shelves."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[Any, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        row = get_args(source)[0]
        make = getattr(row, "_make")  # noqa: B009 - as above
        cells = _cells(row, handler)

        def flat(shelves: Any) -> Rows:  # noqa: ANN401 - what the schema below lets through
            return tuple(make(it) for it in _emptied(shelves))

        return _on_shelves(_shelves(cells), flat, _as_rows(row, handler), _filled)


class ShelvedByGiver:
    """Reads and writes what is inherited: shelves, and beside them from whom."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[Any, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        row = get_args(source)[0]
        make = getattr(row, "_make")  # noqa: B009 - as above
        cells = _cells(row, handler)
        giver = core_schema.tuple_schema([cells.pop(name) for name in _GIVER])
        place = {"from": core_schema.int_schema(ge=0, lt=limits.QUEUES_PER_RECORD)}
        last = dict([cells.popitem()])

        def flat(said: Any) -> Rows:  # noqa: ANN401 - what the schema below lets through
            return tuple(make(it) for it in _with_givers(_emptied(said["queues"]), said["from"]))

        wire = core_schema.typed_dict_schema(
            {
                "from": _required(_listed(giver)),
                "queues": _required(_shelves({**cells, **place, **last})),
            },
            config=_STRICT,
        )
        return _on_shelves(wire, flat, _as_rows(row, handler), _filled_by_giver)


class ShelvedByTaker:
    """Reads and writes what is held or let go: shelves, and beside them to whom it goes."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[Any, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        row = get_args(source)[0]
        make = getattr(row, "_make")  # noqa: B009 - as above
        cells = _cells(row, handler)
        taker = handler.generate_schema(
            get_args(get_type_hints(row, include_extras=True)[_TAKER])[0]
        )
        place = core_schema.int_schema(ge=0, lt=limits.QUEUES_PER_RECORD)
        cells[_TAKER] = core_schema.with_default_schema(
            core_schema.nullable_schema(place), default=None
        )

        def flat(said: Any) -> Rows:  # noqa: ANN401 - of the schema below
            takers = said.get(_TAKER, ())
            return tuple(make(it) for it in _with_takers(_emptied(said["queues"]), takers))

        wire = core_schema.typed_dict_schema(
            {
                _TAKER: core_schema.typed_dict_field(_listed(taker), required=False),
                "queues": _required(_shelves(cells)),
            },
            config=_STRICT,
        )
        return _on_shelves(wire, flat, _as_rows(row, handler), _filled_by_taker)


def _cells(row: Any, handler: GetCoreSchemaHandler) -> dict[str, CoreSchema]:  # noqa: ANN401 - a class
    hints = get_type_hints(row, include_extras=True)
    return {
        name: handler.generate_schema(Annotated[hint, Field(title=name)])
        for name, hint in hints.items()
    }


def _on_shelves(
    wire: CoreSchema,
    read: Callable[[Any], Rows],
    rows: CoreSchema,
    write: Callable[[Rows], object],
) -> CoreSchema:
    """Return the schema of what is shelves in JSON, and rows in Python."""
    return core_schema.json_or_python_schema(
        json_schema=core_schema.no_info_after_validator_function(read, wire),
        python_schema=rows,
        serialization=core_schema.plain_serializer_function_ser_schema(write, when_used="json"),
    )


def _as_rows(row: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - a class
    schema = handler.generate_schema(Annotated[row, Row()])
    most = limits.QUEUES_PER_RECORD
    return core_schema.tuple_schema(
        [schema], variadic_item_index=0, max_length=most, fail_fast=True
    )


def _shelves(cells: dict[str, CoreSchema]) -> CoreSchema:
    (_, topic), (_, broker), *rest = cells.items()
    said = [schema for _, schema in rest]
    row = said[0] if len(said) == 1 else _row(said)
    shelf = core_schema.typed_dict_schema(
        {
            "topic": _required(topic),
            "broker": core_schema.typed_dict_field(broker, required=False),
            "queues": _required(_listed(row)),
        },
        config=_STRICT,
    )
    return _listed(shelf)


def _row(cells: list[CoreSchema]) -> CoreSchema:
    """Return the schema of a row; that a last cell may be left out, JSON's has to be told."""
    least = sum(cell["type"] != "default" for cell in cells)
    return core_schema.tuple_schema(cells, metadata={"pydantic_js_updates": {"minItems": least}})


def _required(schema: CoreSchema) -> core_schema.TypedDictField:
    return core_schema.typed_dict_field(schema, required=True)


def _listed(schema: CoreSchema) -> CoreSchema:
    return core_schema.list_schema(schema, max_length=limits.QUEUES_PER_RECORD, fail_fast=True)


def _emptied(shelves: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - of the schema
    """Take the rows off the shelves; a queue that is all there is to a row stands there bare."""
    rows: list[tuple[Any, ...]] = []
    for shelf in shelves:
        names = (shelf["topic"], shelf.get("broker", ""))
        if len(rows) + len(shelf["queues"]) > limits.QUEUES_PER_RECORD:
            raise PydanticCustomError("too_many_queues", "There are too many queues")
        rows += [names + (row if isinstance(row, tuple) else (row,)) for row in shelf["queues"]]
    return rows


def _with_givers(rows: Rows, givers: Rows) -> Iterable[tuple[Any, ...]]:
    at = _NAMES + _PLACE
    for row in rows:
        if row[at] >= len(givers):
            raise PydanticCustomError("unknown_giver", "A queue is inherited from nobody")
        yield (*row[:at], *givers[row[at]], *row[at + 1 :])


def _with_takers(rows: Rows, takers: Rows) -> Iterable[tuple[Any, ...]]:
    for *said, place in rows:
        if place is not None and place >= len(takers):
            raise PydanticCustomError("unknown_taker", "A queue goes to nobody that is named")
        yield (*said, None if place is None else takers[place])


def _filled(rows: Rows) -> list[dict[str, Any]]:
    """Put rows on shelves, in the order in which their topics come."""
    shelves: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        said = row[_NAMES:]
        shelves.setdefault((row[0], row[1]), []).append(said if len(said) > 1 else said[0])
    return [
        {"topic": topic, **({"broker": broker} if broker else {}), "queues": queues}
        for (topic, broker), queues in shelves.items()
    ]


def _filled_by_giver(rows: Rows) -> dict[str, Any]:
    at = _NAMES + _PLACE
    givers: dict[tuple[Any, ...], int] = {}
    numbered = []
    for row in rows:
        place = givers.setdefault(tuple(row[at : at + len(_GIVER)]), len(givers))
        numbered.append((*row[:at], place, *row[at + len(_GIVER) :]))
    return {"from": list(givers), "queues": _filled(numbered)}


def _filled_by_taker(rows: Rows) -> dict[str, Any]:
    takers: dict[tuple[Any, ...], int] = {}
    numbered: list[tuple[Any, ...]] = []
    for *said, taker in rows:
        numbered.append(
            tuple(said) if taker is None else (*said, takers.setdefault(taker, len(takers)))
        )
    shelves = {"queues": _filled(numbered)}
    return {_TAKER: list(takers), **shelves} if takers else shelves
