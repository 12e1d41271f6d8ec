"""What a member and its guard say to each other: lines of JSON, each an object with a `kind`.

`docs/guard.md` of the repository describes them for members in other languages, so unknown fields
are ignored, as on the wire. Pure. Used by `guarding`, at the member's end, and by `guard` and
`post`. Its one rule: how to reach Kafka, passwords included, is said here and nowhere else, never
in an argument or in the environment, where others could read it.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from trimtab.holdings import Holdings
from trimtab.protocol import DEFAULT_PREFIX
from trimtab.transports import Client

ADDRESS: Final = "TRIMTAB_GUARD"
"""The environment variable that names the socket of the guard that a process runs under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A member: guard me. Its way to Kafka, and how long a record of it is worth anything."""

    kind: Literal["post"] = "post"
    servers: str
    group: str
    prefix: str = DEFAULT_PREFIX
    client: Client | None = None
    kafka: dict[str, Any] = field(default_factory=dict)
    patience_ms: Annotated[int, Field(gt=0)] = 10_000
    """Its session: after that the controller takes it for dead anyway."""


@dataclass(frozen=True, slots=True)
class Farewell:
    """A member: I end in good order, and have released what I held."""

    kind: Literal["farewell"] = "farewell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """The supervisor: take members at this socket, and remove the folder in the end."""

    kind: Literal["listen"] = "listen"
    file: int
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The supervisor: my command is dead. If I am the last process here, so are all others soon."""

    kind: Literal["ended"] = "ended"
    pid: int
    last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The guard: I watch your process, and this is mine; say what you hold."""

    kind: Literal["welcome"] = "welcome"
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The guard: I shall do nothing for you, because of this."""

    kind: Literal["refused"] = "refused"
    reason: str


T = TypeVar("T")
Heard = Post | Holdings | Farewell | Listen | Ended
Answer = Welcome | Refused

_HEARD: Final[TypeAdapter[Heard]] = TypeAdapter(Annotated[Heard, Field(discriminator="kind")])
_ANSWER: Final[TypeAdapter[Answer]] = TypeAdapter(Annotated[Answer, Field(discriminator="kind")])
_HOLDINGS: Final = TypeAdapter(Holdings)


def line_of(said: Heard | Answer) -> bytes:
    """Write a line; TypeError if an option of the client cannot be written."""
    if isinstance(said, Holdings):
        return _HOLDINGS.dump_json(said) + b"\n"
    return json.dumps(asdict(said)).encode() + b"\n"


def heard(line: bytes) -> Heard:
    """Read what a guard is told; ValueError, without what stands in the line."""
    return _read(_HEARD, line)


def answer(line: bytes) -> Answer:
    """Read what a guard says; ValueError, without what stands in the line."""
    return _read(_ANSWER, line)


def _read(adapter: TypeAdapter[T], line: bytes) -> T:
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
