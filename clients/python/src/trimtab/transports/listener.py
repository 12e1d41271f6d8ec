"""What listens at an address: one of Kafka's four security protocols, something else, or nothing.

A Kafka client that speaks the wrong protocol is told nothing: the connection is closed. So a
transport that cannot connect asks by itself, with one request that every listener answers before
anybody has said who he is: SaslHandshake. A listener without SASL answers that it is not the time
for it, and one with SASL lists its mechanisms (KIP-43).

Used by `diagnosis`. Its one rule: it says no password, and believes no certificate.
"""

import socket
import ssl
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]

_PATIENCE_S: Final = 2.0
"""For one step. Together with what the client itself waits, it is said within 15 s."""
_HANDSHAKE: Final = struct.pack(">hhih0sh0s", 17, 1, 0, 0, b"", 0, b"")
"""SaslHandshake, version 1: the client's id and the mechanism are empty."""
_NOT_THE_TIME: Final = 34
"""ILLEGAL_SASL_STATE: there is no SASL here."""
_UNSUPPORTED: Final = 33
"""UNSUPPORTED_SASL_MECHANISM: there is, and nobody has the empty one."""
_LARGEST: Final = 4096
"""Bytes of an answer. Ten mechanisms take two hundred; what is larger is no answer to this."""


class Silence(Enum):
    """Why nothing is known of what listens."""

    NO_HOST = "no host has this name"
    REFUSED = "nobody listens there"
    UNREACHABLE = "the host cannot be reached"
    NO_ANSWER = "it takes connections, and does not answer"
    NOT_KAFKA = "it is no Kafka"


@dataclass(frozen=True, slots=True)
class Listener:
    """What was found."""

    server: str
    protocol: Protocol | None
    """None: see `silence`."""
    mechanisms: tuple[str, ...] = ()
    """Of SASL."""
    silence: Silence | None = None
    detail: str = ""
    """What the operating system says."""


def look(server: str, *, tls: bool) -> Listener:
    """Ask what listens at "host:port", first with or without TLS."""
    host, _, port = server.rpartition(":")
    address = host.strip("[]"), int(port)
    try:
        protocol, mechanisms = _asked(address, tls=tls)
    except _Unlike as unlike:
        try:
            protocol, mechanisms = _asked(address, tls=not tls)
        except (_Unlike, OSError):
            silence = Silence.NO_ANSWER if unlike.is_silent else Silence.NOT_KAFKA
            return Listener(server, None, silence=silence)
    except socket.gaierror as error:
        return Listener(server, None, silence=Silence.NO_HOST, detail=error.strerror or "")
    except ConnectionRefusedError as error:
        return Listener(server, None, silence=Silence.REFUSED, detail=error.strerror or "")
    except OSError as error:
        detail = error.strerror or str(error)
        return Listener(server, None, silence=Silence.UNREACHABLE, detail=detail)
    return Listener(server, protocol, mechanisms)


def distrust(server: str, context: ssl.SSLContext) -> str | None:
    """Say why a client with this context refuses the certificate of a listener, if it does."""
    host, _, port = server.rpartition(":")
    host = host.strip("[]")
    try:
        with (
            socket.create_connection((host, int(port)), _PATIENCE_S) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return None
    except ssl.SSLError as error:
        return str(error)
    except OSError:
        return None  # it is gone since: no word on its certificate


class _Unlike(Exception):  # noqa: N818 - it names what happened
    """The other side does not speak like this."""

    def __init__(self, *, is_silent: bool) -> None:
        super().__init__()
        self.is_silent = is_silent


def _asked(address: tuple[str, int], *, tls: bool) -> tuple[Protocol, tuple[str, ...]]:
    """Ask; raise OSError if nobody takes the connection."""
    with socket.create_connection(address, _PATIENCE_S) as plain:
        try:
            with _wrapped(plain, address[0]) if tls else plain as link:
                code, mechanisms = _answered(link)
        except TimeoutError as error:
            raise _Unlike(is_silent=True) from error
        except ssl.SSLError as error:
            if tls and "CERTIFICATE_REQUIRED" in str(error.reason):
                return "SSL", ()  # it asks who we are before it hears anything
            raise _Unlike(is_silent=False) from error
        except (OSError, ValueError, struct.error) as error:
            raise _Unlike(is_silent=False) from error
    if code == _NOT_THE_TIME:
        return ("SSL" if tls else "PLAINTEXT"), ()
    if code == _UNSUPPORTED:
        return ("SASL_SSL" if tls else "SASL_PLAINTEXT"), mechanisms
    raise _Unlike(is_silent=False)


def _wrapped(plain: socket.socket, host: str) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=host)


def _answered(link: socket.socket) -> tuple[int, tuple[str, ...]]:
    """The code of the answer, and the mechanisms; ValueError if it is none."""
    link.sendall(struct.pack(">i", len(_HANDSHAKE)) + _HANDSHAKE)
    (length,) = struct.unpack(">i", _read(link, 4))
    if not 0 < length <= _LARGEST:
        raise ValueError(length)
    answer = _read(link, length)
    _, code, count = struct.unpack_from(">ihi", answer)
    return code, tuple(_texts(answer, struct.calcsize(">ihi"), count))


def _texts(answer: bytes, at: int, count: int) -> Iterator[str]:
    for _ in range(count):
        (length,) = struct.unpack_from(">h", answer, at)
        at += 2
        yield answer[at : at + length].decode()
        at += length


def _read(link: socket.socket, length: int) -> bytes:
    read = b""
    while len(read) < length:
        piece = link.recv(length - len(read))
        if not piece:
            raise ConnectionResetError
        read += piece
    return read
