"""The options of a member, for all its shells: one list, one check.

`Member` and `trimtab.aio.Member` take these as keyword arguments. A mistake is a
`ConfigurationError` that names the argument, at once and not in a log an hour later.
"""

import os
import secrets
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Required, TypedDict

from pydantic import ValidationError

from trimtab.durations import milliseconds
from trimtab.errors import ConfigurationError
from trimtab.guard_lines import ADDRESS, Post, line_of
from trimtab.guarding import Guard
from trimtab.inspection import Inspection
from trimtab.protocol import DEFAULT_PREFIX, UndecodableRecord, read_group_key
from trimtab.protocol.limits import MIN_TIMEOUT_MS
from trimtab.protocol.members import Mode
from trimtab.session import Profile, incarnation
from trimtab.transports import Client, choose, choose_inspector
from trimtab.transports.contract import Transport

_CLIENT: Final = "trimtab-python/0.1.0"
_SERVERS: Final = ("bootstrap.servers", "bootstrap_servers")
"""How confluent-kafka and kafka-python call the first argument."""
_SPOKEN: Final = {"member": "member_id", "client": "member_id"}
"""What the fields of a join are called here, where that differs."""


class Options(TypedDict, total=False):
    """Keyword arguments of a member. A group is needed, and topics or patterns of topics."""

    group: Required[str]
    """The group to join."""
    topics: Sequence[str]
    """Topics by name. The member waits for one that does not exist yet."""
    patterns: Sequence[str]
    """More topics, by pattern: `*` stands for any run of characters, `?` for any one. Topics that
    are created later come with it, deleted ones go; internal ones (`__...`) never match."""
    member_id: str
    """Unique in the group. Default: the host's name and a random part."""
    instance: str
    """A name that survives restarts. With `stop(temporary=True)` a restart then moves nothing."""
    rack: str
    """Where the member is, for strategies that use racks."""
    weight: int
    """Strength relative to other members, 1 to 1,000. Default: 1."""
    capacity: int
    """The most queues it can take. Default: any number."""
    mode: Mode
    """"clustering": each queue has one owner. "broadcasting": every member works on all queues.
    "shared": on some, together with others; the controller's `share_number` says how many. In the
    last two nothing is handed over: `on_assigned` is called without a position, and tokens
    fence nothing. Default: "clustering"."""
    session_timeout: str | float
    """Silence after which the member is dead: "10s", or seconds. Default: 10 s."""
    revocation_timeout: str | float
    """Time that `on_revoked` may take. Default: 60 s."""
    prefix: str
    """What the names of trimtab's topics begin with. Default: "trimtab."."""
    guard: bool
    """Whether another process stands guard: if this one is killed, the guard gives its queues to
    their heirs at once, and nobody waits for a session of silence. True: that of `trimtab-guard`,
    or one of its own. Default: that of `trimtab-guard`, if this process runs under it."""
    client: Client
    """The Kafka client, "confluent" or "kafka-python". Default: the first that is installed."""
    kafka: Mapping[str, Any]
    """Options for that client, passed through untouched: security and the like."""
    transport: Transport
    """A transport of your own, instead of `bootstrap_servers` and the three above."""


def read_profile(options: Options) -> Profile:
    """Check the options and put them together."""
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        raise ConfigurationError(f"{min(unknown)}: a member has no such option")
    for needed in Options.__required_keys__ - options.keys():
        raise ConfigurationError(f"{needed}: a member needs this option")
    if not isinstance(options["group"], str):
        raise ConfigurationError(f"group: {options['group']!r} is no name")
    profile = Profile(
        group=options["group"],
        member=options.get("member_id") or f"{socket.gethostname()}-{secrets.token_hex(4)}",
        topics=names("topics", options.get("topics", ())),
        patterns=names("patterns", options.get("patterns", ())),
        session_timeout_ms=_timeout("session_timeout", options.get("session_timeout", "10s")),
        revocation_timeout_ms=_timeout(
            "revocation_timeout", options.get("revocation_timeout", "60s")
        ),
        instance=options.get("instance"),
        rack=options.get("rack"),
        weight=options.get("weight", 1),
        capacity=options.get("capacity"),
        mode=options.get("mode", "clustering"),
        client=_CLIENT,
    )
    _refuse_what_the_controller_would(profile)
    return profile


def subscribed(profile: Profile, topics: Sequence[str], patterns: Sequence[str]) -> Profile:
    """Check what a member wants instead, and put it in its place."""
    changed = replace(profile, topics=names("topics", topics), patterns=names("patterns", patterns))
    _refuse_what_the_controller_would(changed)
    return changed


def make_transport(
    bootstrap_servers: str | None, options: Options, delivery_timeout_ms: int
) -> Transport:
    """Make the transport; it gives up a record after the timeout."""
    if "transport" in options:
        return options["transport"]
    servers, kafka = place_of_kafka(bootstrap_servers, options.get("kafka", {}))
    prefix = options.get("prefix", DEFAULT_PREFIX)
    return choose(options.get("client"), servers, prefix, delivery_timeout_ms, kafka)


def make_inspection(bootstrap_servers: str | None, options: Options) -> Inspection | None:
    """Make what asks Kafka beside the member's work, unless its transport is not ours."""
    if "transport" in options:
        return None
    servers, kafka = place_of_kafka(bootstrap_servers, options.get("kafka", {}))
    prefix = options.get("prefix", DEFAULT_PREFIX)
    return Inspection(choose_inspector(options.get("client"), servers, prefix, kafka))


def make_guard(bootstrap_servers: str | None, options: Options, profile: Profile) -> Guard | None:
    """Make the guard, if one is wanted, or there."""
    address = os.environ.get(ADDRESS)
    wanted = options.get("guard")
    if not isinstance(wanted, bool | None):
        raise ConfigurationError(f"guard: {wanted!r} is neither True nor False")
    if wanted and "transport" in options:
        raise ConfigurationError("guard: it needs bootstrap_servers, not a transport of your own")
    if wanted is False or "transport" in options or not (wanted or address):
        return None
    servers, kafka = place_of_kafka(bootstrap_servers, options.get("kafka", {}))
    post = Post(
        servers=servers,
        group=profile.group,
        prefix=options.get("prefix", DEFAULT_PREFIX),
        client=options.get("client"),
        kafka=dict(kafka),
        patience_ms=profile.session_timeout_ms,
    )
    if wanted:
        _refuse_what_no_guard_can_be_told(post)
    return Guard(post, address)


def names(option: str, value: Sequence[str]) -> tuple[str, ...]:
    """Read a list of names; a text would be a list of letters."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConfigurationError(f'{option}: {value!r} is not a list of names like ["orders"]')
    return tuple(value)


def place_of_kafka(bootstrap_servers: object, kafka: object) -> tuple[str, Mapping[str, Any]]:
    """Read where Kafka is, and the options for its client."""
    servers = place_of_servers("bootstrap_servers", bootstrap_servers)
    if not isinstance(kafka, Mapping):
        raise ConfigurationError(
            f'kafka: {kafka!r} is no dict, as {{"security.protocol": "SSL"}} is'
        )
    for name in _SERVERS:
        if kafka.get(name, servers) != servers:
            raise ConfigurationError(
                f"kafka: {name} is {kafka[name]!r}, and the first argument {servers!r}"
            )
    return servers, kafka


def place_of_servers(option: str, servers: object) -> str:
    """Read where a Kafka is."""
    if not isinstance(servers, str) or not servers:
        raise ConfigurationError(f'{option}: say where Kafka is, as in "localhost:9092"')
    if servers.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"{option}: {servers!r} is an address of the web; say host and port, as in "
            '"localhost:9092"'
        )
    return servers


def _timeout(name: str, value: str | float) -> int:
    return milliseconds(name, value, MIN_TIMEOUT_MS)


def _refuse_what_no_guard_can_be_told(post: Post) -> None:
    try:
        line_of(post)
    except TypeError as error:
        reason = f"kafka: this option cannot be passed to a guard: {error}"
        raise ConfigurationError(reason) from None


def _refuse_what_the_controller_would(profile: Profile) -> None:
    try:
        read_group_key(profile.group.encode())
        profile.join(incarnation(0, 0), sequence=1)
    except UndecodableRecord as error:
        raise ConfigurationError(f"group: {error.detail}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = str(first["loc"][0]).removesuffix("_ms")
        raise ConfigurationError(f"{_SPOKEN.get(field, field)}: {first['msg']}") from None
