"""Why a client cannot connect, in one sentence: what is wrong, where, and what to do.

A client library says what it saw ("Disconnected", "Unable to bootstrap"). So each address is asked
what listens there (`listener`), and only if that is as it should be, the library has the word.

Used by the transports when they open. Its one rule: the same fault has the same text, so that it
is told once.
"""

import re
from enum import Enum
from typing import Final, NamedTuple, assert_never

from trimtab.errors import TransportError
from trimtab.transports.link import Link
from trimtab.transports.listener import Listener, Silence, look

_LOOKED_AT: Final = 3
"""Addresses that are asked: if no client came through, the first ones show why."""


class Fault(Enum):
    """What a client library knows of the reason."""

    PASSWORD = "password"  # noqa: S105 - the name of a fault
    TLS = "tls"
    OTHER = "other"


class Said(NamedTuple):
    """What it said."""

    fault: Fault
    text: str


def fitting(link: Link) -> Listener:
    """Find a listener that this client can talk to; it takes some seconds.

    Raises:
        TransportError: There is none.
    """
    found = []
    for server in link.servers[:_LOOKED_AT]:
        listener = look(server, tls=link.tls)
        if listener.protocol == link.protocol:
            return listener
        found.append(listener)
    raise TransportError("; ".join(dict.fromkeys(_unfit(it, link) for it in found)))


def unreachable(link: Link, said: Said | None) -> TransportError:
    """Say why this client cannot connect; it takes some seconds."""
    try:
        where = fitting(link)
    except TransportError as error:
        return error
    if where.mechanisms and link.mechanism not in where.mechanisms:
        return TransportError(_no_mechanism(where, link))
    if said is None:
        text = f"Kafka at {where.server} answers, but not to this client in time: is it overloaded?"
        return TransportError(text, guessed=True)
    return TransportError(_refusal(where, link, said))


def _refusal(where: Listener, link: Link, said: Said) -> str:
    text = _CHANGING.sub("", said.text)
    match said.fault:
        case Fault.PASSWORD:
            return _refused(where, link, text)
        case Fault.TLS:
            return (
                f"no TLS with Kafka at {where.server}: {text}: if its certificate is not "
                f"trusted, set {link.option('ssl.ca.location')} to the file of the authority that "
                f"signed it; if it wants yours, set {link.option('ssl.certificate.location')}"
            )
        case Fault.OTHER:
            return (
                f"Kafka at {where.server} answers, but this client does not get through to its "
                f"brokers: {text}: check the brokers' advertised.listeners"
            )
        case _:
            assert_never(said.fault)


_CHANGING: Final = re.compile(r" \(after \d+ms in state .*\)$")
"""What librdkafka appends, different each time."""


def interrupted(link: Link, said: Said) -> str:
    """Say what a client that had connected has met; without asking, for beats must not wait."""
    text = _CHANGING.sub("", said.text)
    match said.fault:
        case Fault.PASSWORD:
            return (
                f"Kafka refuses {link.who} now ({text}): check {link.option('sasl.username')} and "
                f"{link.option('sasl.password')}"
            )
        case Fault.TLS | Fault.OTHER:
            return f"trouble with Kafka at {link.place}, tried again: {text}"
        case _:
            assert_never(said.fault)


def _no_mechanism(where: Listener, link: Link) -> str:
    return (
        f"Kafka at {where.server} has no SASL mechanism {link.mechanism}: set "
        f"{link.option('sasl.mechanism')} to one of {', '.join(sorted(where.mechanisms))}"
    )


def _refused(where: Listener, link: Link, text: str) -> str:
    return (
        f"Kafka at {where.server} refuses the password of {link.who} ({text}): check "
        f"{link.option('sasl.username')}, {link.option('sasl.password')} and "
        f"{link.option('sasl.mechanism')} ({link.mechanism})"
    )


def _unfit(it: Listener, link: Link) -> str:
    """Say why a listener is none for this client."""
    if it.protocol is not None:
        return (
            f"{it.server} is a {it.protocol} listener of Kafka, and this client speaks "
            f"{link.protocol}: set {link.option('security.protocol')} to {it.protocol}, or connect "
            f"to a listener that speaks {link.protocol}"
        )
    detail = f" ({it.detail})" if it.detail else ""
    match it.silence:
        case Silence.NO_HOST:
            return f'no host has the name in "{it.server}"{detail}: check bootstrap_servers'
        case Silence.REFUSED:
            return (
                f"nobody listens at {it.server}{detail}: is the broker up, and is this its address?"
            )
        case Silence.UNREACHABLE:
            return (
                f"{it.server} cannot be reached{detail}: is the host up, and does a firewall let "
                "this one through?"
            )
        case Silence.NO_ANSWER:
            return (
                f"{it.server} takes connections and does not answer: is the broker frozen or "
                "overloaded?"
            )
        case Silence.NOT_KAFKA | None:
            return f"what listens at {it.server} is no Kafka: check bootstrap_servers"
        case _:
            assert_never(it.silence)
