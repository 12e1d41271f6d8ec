"""RocketMQ's remoting protocol, as far as a reader of routes needs it: frames with a JSON header.

    4 bytes  length of all that follows
    4 bytes  length of the header; its highest byte says how that is written, 0: as JSON
    header   {"code": 105, "opaque": 7, "extFields": {...}}
    body

An answer carries the `opaque` of its request. Used by ``name_server`` and ``consumer_lists``. Its
one rule: whatever comes is a good answer, or `Garbage` with the reason; nothing is read without a
limit of bytes, and of time if its socket has one: that is how long a part of a frame may take.
"""

import json
import socket
import struct
import time
from typing import Final, NamedTuple

from trimtab.protocol.reasons import one_line

SUCCESS: Final = 0
TOPIC_NOT_EXIST: Final = 17
LARGEST_FRAME: Final = 16 * 1024 * 1024
"""RocketMQ's own limit (`com.rocketmq.remoting.frameMaxLength`)."""
_LENGTHS: Final = struct.Struct(">II")
_HEADER_BYTES: Final = 4
_JSON: Final = 0
"""How a header is written; RocketMQ has a binary form as well, which nobody has to speak."""
_SIZE_BITS: Final = 24


class Garbage(Exception):  # noqa: N818 - it names what came
    """What came is no frame of the protocol."""


class Answer(NamedTuple):
    """What a server says."""

    code: int
    opaque: int
    body: bytes
    remark: str


def request(code: int, opaque: int, fields: dict[str, str]) -> bytes:
    """Write a request without a body."""
    said = {"code": code, "language": "PYTHON", "opaque": opaque, "flag": 0, "extFields": fields}
    header = json.dumps(said).encode()
    return _LENGTHS.pack(_HEADER_BYTES + len(header), len(header)) + header


def ask(connection: socket.socket, code: int, opaque: int, fields: dict[str, str]) -> Answer:
    """Send one request, and wait for its answer.

    Raises:
        Garbage: What came is none to it.
        OSError: Nothing came in time.
    """
    connection.sendall(request(code, opaque, fields))
    found = receive(connection)
    if found.opaque != opaque:
        raise Garbage("an answer to what was not asked")
    return found


def receive(connection: socket.socket) -> Answer:
    """Read one frame.

    Raises:
        Garbage: It is none, or the server has hung up.
        OSError: Nothing came in time.
    """
    length, marked = _LENGTHS.unpack(_exactly(connection, _LENGTHS.size))
    kind, header_length = marked >> _SIZE_BITS, marked & ((1 << _SIZE_BITS) - 1)
    if not _HEADER_BYTES + header_length <= length <= LARGEST_FRAME:
        raise Garbage(f"a frame of {length} bytes with a header of {header_length}")
    if kind != _JSON:
        raise Garbage(f"a header in form {kind}, which was not asked for")
    return answer(
        _exactly(connection, header_length),
        _exactly(connection, length - _HEADER_BYTES - header_length),
    )


def answer(header: bytes, body: bytes) -> Answer:
    """Read the parts of a frame.

    Raises:
        Garbage: The header says nothing that could be understood.
    """
    try:
        said = json.loads(header)
        code, opaque = said["code"], said["opaque"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Garbage("a header that is not the protocol's") from error
    if type(code) is not int or type(opaque) is not int:
        raise Garbage("a header whose code is no number")
    return Answer(code, opaque, body, one_line(str(said.get("remark"))))


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts, patience_s = bytearray(), connection.gettimeout()
    begun = time.monotonic()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise Garbage("the server has hung up in the middle of an answer")
        parts += part
        if patience_s is not None and time.monotonic() - begun > patience_s:
            raise TimeoutError("an answer that comes too slowly")
    return bytes(parts)
