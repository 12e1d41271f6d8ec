"""Create trimtab's topics and check that they are as they must be.

What each topic must be is written once, in ``trimtab.protocol.topics``; the settings choose prefix,
partitions, replicas and retention. It only creates topics and never changes one: a topic that
exists with other settings is reported, with the fix, and nothing is started on it. Used by `trimtab
topics` and `trimtab run`.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
    TopicMetadata,
)

from console.errors import ExitCode, Failure, Leaderless
from console.settings import Settings
from console.settings.units import milliseconds
from streaming.topics import START_ANEW
from trimtab.protocol import TopicSpec, kept_for, topic_specs

T = TypeVar("T")

REQUEST_TIMEOUT_S = 10.0
"""One admin request; a healthy cluster answers in milliseconds, and of others it is to be said
within 15 s of the start."""

_LOOK_AGAIN_S = 0.05

_CHECKED = (
    "cleanup.policy",
    "message.timestamp.type",
    "retention.ms",
    "max.message.bytes",
    "compression.type",
)
"""What correctness rests on, and that one record stops nobody (SECURITY.md). The rest is tuning,
and the operator's to change."""
_WITH = {"retention.ms": ("segment.ms",)}
"""What has to be altered with it: Kafka deletes whole segments, and none that it still writes."""


class _UnknownTopic(Failure):
    """The broker that was asked does not know the topic, or not yet."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is there of one topic; ``problems`` is empty when it is as it must be."""

    spec: TopicSpec
    partitions: int | None
    """None when the topic does not exist."""
    problems: tuple[str, ...]
    unled: tuple[int, ...] = ()
    """Partitions without a leader. That may pass by itself, so nothing is kept from starting."""

    @property
    def is_missing(self) -> bool:
        """Say whether the topic does not exist."""
        return self.partitions is None

    @property
    def state(self) -> str:
        """The finding in one word."""
        if self.is_missing:
            return "missing"
        if self.problems:
            return "differs"
        return "no leader" if self.unled else "ok"


def wanted(settings: Settings) -> tuple[TopicSpec, ...]:
    """The topics that the settings ask for."""
    chosen = settings.topics
    retention = {
        f"{chosen.prefix}{name}": kept_for(milliseconds(getattr(chosen.retention, name)))
        for name in type(chosen.retention).model_fields
    }
    return tuple(
        replace(spec, config={**spec.config, **retention[spec.name]})
        if spec.name in retention
        else spec
        for spec in topic_specs(chosen.prefix, chosen.partitions, chosen.replication_factor)
    )


def survey(admin: AdminClient, specs: Sequence[TopicSpec], servers: str) -> list[Found]:
    """Look at every topic; ``servers`` is where, for people.

    Raises:
        Failure: Kafka does not answer, or the caller may not look.
    """
    existing = _metadata(admin, servers)
    for spec in specs:
        if spec.name not in existing:
            _check_right(admin, spec.name, servers)
    present = [spec for spec in specs if spec.name in existing]
    configs = _configs(admin, [spec.name for spec in present])
    return [
        Found(
            spec,
            len(existing[spec.name].partitions),
            tuple(_problems(spec, existing[spec.name], configs[spec.name], servers)),
            unled(existing[spec.name]),
        )
        if spec in present
        else Found(spec, None, (f"{spec.name} is missing: create it with `trimtab topics init`",))
        for spec in specs
    ]


def problems(found: Iterable[Found]) -> list[str]:
    """One line for each problem, those between topics last."""
    found = list(found)
    lines = [line for topic in found for line in topic.problems]
    by_group = [t for t in found if t.spec.topic.partitioned_by_group and not t.is_missing]
    if len({topic.partitions for topic in by_group}) > 1:
        counts = ", ".join(f"{topic.spec.name} {topic.partitions}" for topic in by_group)
        lines.append(
            f"topics keyed by group must have equal partition counts, there are: {counts}; "
            f"{START_ANEW}"
        )
    return lines


def create(admin: AdminClient, missing: Sequence[TopicSpec], servers: str) -> None:
    """Create topics and return when clients can see them.

    Another process may create one at the same time; ``survey`` looks at what it is like.

    Raises:
        Failure: Kafka refuses, with its reason.
    """
    if not missing:
        return
    topics = [
        NewTopic(
            spec.name,
            num_partitions=spec.partitions,
            replication_factor=spec.replication,
            config=dict(spec.config),
        )
        for spec in missing
    ]
    created = admin.create_topics(topics, operation_timeout=REQUEST_TIMEOUT_S)
    for name, future in created.items():
        try:
            future.result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise _refused(error.args[0], "Create", name, "could not be created") from error
    # Brokers learn what the controller has decided a moment after the controller's answer.
    deadline = time.monotonic() + REQUEST_TIMEOUT_S
    while not created.keys() <= _led(_metadata(admin, servers)):
        if time.monotonic() > deadline:
            raise Failure("Kafka has created topics but does not list them", ExitCode.TIMEOUT)
        time.sleep(_LOOK_AGAIN_S)


def create_missing(admin: AdminClient, found: Sequence[Found], servers: str) -> list[Found]:
    """Create what ``found`` lacks, and look again.

    Raises:
        Failure: As ``create``.
    """
    create(admin, [topic.spec for topic in found if topic.is_missing], servers)
    specs, deadline = [topic.spec for topic in found], time.monotonic() + REQUEST_TIMEOUT_S
    while True:  # each request goes to any broker, and one may hear of a topic after another
        is_late = time.monotonic() > deadline
        try:
            found = survey(admin, specs, servers)
        except _UnknownTopic:
            if is_late:
                raise
        else:
            if is_late or not any(topic.is_missing for topic in found):
                return found
        time.sleep(_LOOK_AGAIN_S)


def _problems(
    spec: TopicSpec, metadata: TopicMetadata, config: Mapping[str, str], servers: str
) -> Iterator[str]:
    if len(metadata.partitions) != spec.partitions:
        yield (
            f"{spec.name} has {len(metadata.partitions)} partitions, must have {spec.partitions}: "
            f"set topics.partitions to {len(metadata.partitions)} if no group uses it yet; delete "
            "it, and run `trimtab topics init`, if a broker has made it by itself "
            f"(auto.create.topics.enable) after it was deleted; otherwise {START_ANEW}"
        )
    counts = (len(partition.replicas) for partition in metadata.partitions.values())
    replicas = min(counts, default=0)
    if replicas < spec.replication:
        yield (
            f"{spec.name} has {replicas} replicas, must have {spec.replication}: reassign its "
            "partitions, or lower topics.replication_factor"
        )
    for name in _CHECKED:
        must = spec.config.get(name)
        if must is not None and config[name] != must:
            added = ",".join(f"{it}={spec.config[it]}" for it in (name, *_WITH.get(name, ())))
            yield (
                f"{spec.name} has {name}={config[name]}, must be {must}: run kafka-configs.sh "
                f"--bootstrap-server {servers} --alter --entity-type topics "
                f"--entity-name {spec.name} --add-config {added}"
            )


def forbidden(operation: str, topic: str) -> Failure:
    """Return how a command ends that lacks a right."""
    return Failure(f"no right to {operation} topic {topic}: docs/rights.md says what to give")


def unled(topic: TopicMetadata) -> tuple[int, ...]:
    """Return the partitions that nobody can read or write now."""
    return tuple(sorted(it for it, part in topic.partitions.items() if part.leader < 0))


def leaderless(topic: str, partitions: Iterable[int]) -> Leaderless:
    """Return how a command ends that needs partitions which nobody leads."""
    where = ", ".join(map(str, partitions))
    return Leaderless(
        f"no broker leads these partitions of {topic}: {where}; nobody can read or write them "
        "until one that has them is back (`kafka-topics.sh --describe --unavailable-partitions`)"
    )


def _check_right(admin: AdminClient, topic: str, servers: str) -> None:
    """Refuse to take what one may not see for missing; only who asks for it alone is told."""
    found = _metadata(admin, servers, topic).get(topic)
    error = None if found is None else found.error
    if error is not None and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        raise forbidden("Describe", topic)


def _metadata(
    admin: AdminClient, servers: str, topic: str | None = None
) -> dict[str, TopicMetadata]:
    try:
        return admin.list_topics(topic, REQUEST_TIMEOUT_S).topics
    except KafkaException as error:
        why = f"Kafka does not answer at {servers}: {error.args[0].str()}"
        remedy = "is it up, and is kafka.bootstrap_servers right (`trimtab config show`)?"
        raise Failure(f"{why}; {remedy}", ExitCode.TIMEOUT) from error


def _led(topics: Mapping[str, TopicMetadata]) -> set[str]:
    """The topics that can be read and written: every partition has a leader."""
    return {name for name, topic in topics.items() if topic.partitions and not unled(topic)}


def _configs(admin: AdminClient, names: Sequence[str]) -> dict[str, dict[str, str]]:
    if not names:
        return {}
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    futures = admin.describe_configs(resources, request_timeout=REQUEST_TIMEOUT_S)
    return {
        resource.name: {name: entry.value for name, entry in _answer(future, resource.name).items()}
        for resource, future in futures.items()
    }


def _answer(future: Future[T], topic: str) -> T:
    try:
        return future.result()
    except KafkaException as error:
        raise _refused(error.args[0], "DescribeConfigs", topic, "could not be read") from error


def _refused(error: KafkaError, operation: str, topic: str, what: str) -> Failure:
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        return forbidden(operation, topic)
    is_unknown = error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    return (_UnknownTopic if is_unknown else Failure)(f"{topic} {what}: {error.str()}")
