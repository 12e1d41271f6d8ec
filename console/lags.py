"""Lags: where a group has committed, and where its queues end, as the cluster's offsets have them.

For queues of this Kafka whose consumers commit under the group's name, as `trimtab.Consumer` does.
What nobody has committed, or is no topic here, has no figures. Kafka is asked for all queues at
once: one after the other, 10,000 of them take half a minute. Called by `trimtab queues list` and
by `trimtab doctor`.

Its one rule: it never joins the group and commits nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    OffsetSpec,
)

from console.cluster import SILENCE, admin, bootstrap_servers, native_options, refusal
from console.settings import Settings
from console.views.sentences import several

_TIMEOUT_S = 15.0
"""As ``whole_topics`` waits for a healthy broker's answer."""


class Lag(NamedTuple):
    """Where the group goes on, and where the queue ends."""

    committed: int
    end: int

    @property
    def lag(self) -> int:
        """Messages that nobody has finished."""
        return max(0, self.end - self.committed)


def lags(
    settings: Settings,
    group: str,
    queues: Iterable[tuple[str, int]],
    note: Callable[[str], object],
) -> dict[tuple[str, int], Lag]:
    """Ask how far a group is on each of these topics and partitions.

    ``note`` is told of each topic, or partition, of which Kafka does not say it.

    Raises:
        Away: Kafka does not answer.
        Failure: The caller may not ask.
    """
    servers = bootstrap_servers(settings)
    consumer = Consumer(
        {
            **native_options(settings),
            "bootstrap.servers": servers,
            "group.id": group,
            "enable.auto.commit": False,
            "log_level": 2,
        }
    )
    try:
        places = [TopicPartition(*queue) for queue in queues]
        told = consumer.committed(places, _TIMEOUT_S) if places else []
        for text in _refused(told):
            note(text)
        committed = {
            (it.topic, it.partition): it.offset
            for it in told
            if it.error is None and it.offset >= 0
        }
        ends = _ends(admin(settings, servers), committed, note) if committed else {}
        return {queue: Lag(committed[queue], end) for queue, end in ends.items()}
    except KafkaException as error:
        raise refusal(f"offsets of {group}", error) from error
    finally:
        consumer.close()


def _refused(told: Iterable[TopicPartition]) -> Mapping[str, None]:
    """Say what Kafka has refused, once of a topic; what it does not know has no figures."""
    return {
        f"the lags of {it.topic} were not looked at: {it.error.str()}": None
        for it in told
        if it.error is not None and it.error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART
    }


def _ends(
    client: AdminClient, queues: Iterable[tuple[str, int]], note: Callable[[str], object]
) -> dict[tuple[str, int], int]:
    """Ask where queues end; those that nobody leads are named, and hide no other figure."""
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # stubs
    places = [TopicPartition(*queue) for queue in queues]
    asked = client.list_offsets(dict.fromkeys(places, latest), request_timeout=_TIMEOUT_S)
    found, unknown = dict[tuple[str, int], int](), defaultdict[str, list[str]](list)
    silence: list[KafkaException] = []
    for place, answer in asked.items():
        try:
            found[place.topic, place.partition] = answer.result().offset
        except KafkaException as error:
            unknown[error.args[0].str()].append(f"{place.topic}-{place.partition}")
            silence += [error] if error.args[0].code() in SILENCE else []
    if min(found.values(), default=0) < 0:  # so it looks when time was up
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - librdkafka's own name
    if silence and not found:
        raise silence[0]
    for why, them in unknown.items():
        said = "lag of {} is" if len(them) == 1 else "lags of {} are"
        note(f"the {said.format(several(them))} not known: {why}")
    return found
