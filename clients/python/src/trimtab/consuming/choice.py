"""The options of a consumer: those of its member, and those of what it reads.

A mistake is a `ConfigurationError` that names the argument, when the consumer is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, assert_never, cast, get_args

from trimtab.durations import milliseconds
from trimtab.errors import ConfigurationError
from trimtab.options import Options
from trimtab.session import Grant, Profile
from trimtab.transports import Client

Tell = Callable[[tuple[Grant, ...]], object]
Commit = Literal["auto", "manual"]
Start = Literal["earliest", "latest"] | datetime
"""Where to begin with a queue of which nothing was committed."""
Fencing = Literal["transactional"]

_RACK: Final = "client.rack"
_RACKS: Final = (_RACK, "client_rack")
"""As librdkafka calls it, and as kafka-python does, which takes both."""
_ENDS: Final = ("earliest", "latest")
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Kafka has no time before that; librdkafka takes one for an end of the log."""
_TOPIC: Final = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""Kafka's rule (`Topic.validate`)."""
_MOST: Final = 1_000_000
"""As many messages as confluent-kafka takes at once."""


class ConsumerOptions(Options, total=False):
    """Keyword arguments of a consumer: those of a member, and these."""

    commit: Commit
    """"auto": what is done is committed now and then. "manual": only what the application gives to
    `commit`. Default: "auto"."""
    commit_interval: str | float
    """How often what is done is committed: what a crash may repeat. Default: 5 s."""
    recommit_interval: str | float
    """How often all positions are committed again, because Kafka forgets those of idle queues.
    Keep it well below the brokers' `offsets.retention.minutes`. Default: 10 min."""
    start: Start
    """Where to begin with a queue of which the group has committed nothing: "earliest", "latest",
    or the first message since a time, a `datetime` with a time zone. Default: "earliest"."""
    max_poll_interval: str | float
    """If the loop does not come back for so long, its queues go to others. Default: 5 min."""
    fencing: Fencing | None
    """"transactional": Kafka itself refuses commits, and what was sent with `send`, of whoever had
    a queue before. Default: None, commits are withheld by the clock of their member alone."""
    fetch: Mapping[str, Any]
    """Options for the client that reads, beside those of `kafka`: sizes, callbacks."""


@dataclass(frozen=True, slots=True)
class Times:
    """How often, and how long."""

    commit_s: float
    recommit_s: float
    max_poll_s: float


@dataclass(frozen=True, slots=True)
class Told:
    """Who is told of what; all of them tell only."""

    assigned: Tell
    revoked: Tell
    lost: Tell
    error: Callable[[Exception], object]
    stuck: Callable[[float], object]
    """The loop has not come back for so many seconds."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen of these."""

    commit: Commit
    start: Start
    times: Times
    fencing: Fencing | None
    fetch: Mapping[str, Any]
    client: Client | None
    """The library that reads; None: the first that is installed."""


def read_options(options: ConsumerOptions) -> tuple[Choice, Options]:
    """Check what is ours, and leave the rest to the member."""
    commit, start = options.get("commit", "auto"), options.get("start", "earliest")
    if commit not in get_args(Commit):
        raise ConfigurationError(f"commit: {commit!r} must be one of {', '.join(get_args(Commit))}")
    if isinstance(start, datetime):
        if start.tzinfo is None:
            raise ConfigurationError(f"start: {start} has no time zone")
        start = max(start, _FIRST)
    elif start not in _ENDS:
        raise ConfigurationError(f"start: {start!r} must be one of {', '.join(_ENDS)}, or a time")
    times = Times(
        commit_s=_seconds("commit_interval", options.get("commit_interval", "5s")),
        recommit_s=_seconds("recommit_interval", options.get("recommit_interval", "10m")),
        max_poll_s=_seconds("max_poll_interval", options.get("max_poll_interval", "5m")),
    )
    ours = ConsumerOptions.__annotations__.keys() - Options.__annotations__.keys()
    if not isinstance(fetch := options.get("fetch", {}), Mapping):
        raise ConfigurationError(f"fetch: {fetch!r} is no dict")
    members = cast("Options", {it: value for it, value in options.items() if it not in ours})
    fetch = _in_its_rack(members, fetch)
    choice = Choice(commit, start, times, _fencing(options), fetch, options.get("client"))
    return choice, members


def _fencing(options: ConsumerOptions) -> Fencing | None:
    fencing = options.get("fencing")
    if fencing is not None and fencing not in get_args(Fencing):
        raise ConfigurationError(f'fencing: {fencing!r} is neither "transactional" nor None')
    if fencing and options.get("mode", "clustering") != "clustering":
        raise ConfigurationError(f'fencing: in mode "{options["mode"]}" queues have no one owner')
    return fencing


def _in_its_rack(members: Options, fetch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say where it is to the controller and to the brokers, if it was said to one of them."""
    kafka = members.get("kafka")
    given = {**kafka, **fetch} if isinstance(kafka, Mapping) else fetch
    if (rack := next((given[it] for it in _RACKS if it in given), None)) is not None:
        members.setdefault("rack", str(rack))
    elif members.get("rack") is not None:
        return {**fetch, _RACK: members["rack"]}
    return fetch


def _seconds(name: str, value: str | float) -> float:
    return milliseconds(name, value, 1) / 1_000


def is_topic(name: str) -> bool:
    """Tell whether Kafka can have a topic that is called so."""
    return bool(_TOPIC.fullmatch(name)) and name not in (".", "..")


def demand_topics(names: Iterable[str]) -> None:
    """Refuse what Kafka has no topic of: nobody would wait for it in vain."""
    for name in names:
        if not is_topic(name):
            raise ConfigurationError(
                f"topics: {name!r} is no topic of Kafka's: 1 to 249 letters, digits, dots, _, -"
            )


def batch_size(size: object) -> int:
    """Check how many messages a batch has at most."""
    if not isinstance(size, int) or not 1 <= size <= _MOST:
        raise ConfigurationError(f"size: {size!r} is no number of messages from 1 to {_MOST}")
    return size


def group_of(profile: Profile) -> str:
    """The group under which a member's positions are kept."""
    match profile.mode:
        case "clustering":
            return profile.group
        case "broadcasting":  # each member reads everything, so each has positions of its own
            return f"{profile.group}.{profile.member}"
        case "shared":
            raise ConfigurationError(
                'mode: a consumer cannot read in mode "shared": Kafka cannot divide the messages of'
                " a partition among readers, and all of them would share one committed offset"
            )
        case _:
            assert_never(profile.mode)
