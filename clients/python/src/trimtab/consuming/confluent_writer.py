"""Writing positions by confluent-kafka.

A consumer's own commit has no end: while the group's coordinator hangs, librdkafka sends it again
and again, nobody can take it back, and a consumer that is closed waits for it. An admin client
sends the same request once at most; and when the client is dropped, what was not sent yet is taken
back. That alone bounds a commit: librdkafka 2.16 ends the process when the time of such a request
is over while Kafka is just back (its issue 4605).

Chosen by `assembly`. See `contract.Writer`.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException
from confluent_kafka.admin import AdminClient

from trimtab.consuming.confluent import checked, place, refused
from trimtab.consuming.confluent_settings import client_settings
from trimtab.consuming.contract import Wish
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_succession import unasked
from trimtab.transports.confluent_unpolled import unpolled

_NEVER_S: Final = 60.0
"""Whoever waits for an answer drops the client long before (`commits.PATIENCE_S`)."""


class ConfluentWriter:
    """See `Writer`."""

    def __init__(self, wish: Wish) -> None:
        self._settings = unpolled(client_settings(wish))
        self._group = wish.group
        self._client: AdminClient | None = AdminClient(self._settings)

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> Future[Any]:
        """Send these."""
        offsets = [place(it, *said) for it, said in places.items()]
        asked = [ConsumerGroupTopicPartitions(self._group, offsets)]
        try:
            if (client := self._client) is None:  # an idle client is falsy: its length is 0
                client = self._client = AdminClient(self._settings)
            answers = client.alter_consumer_group_offsets(asked, request_timeout=_NEVER_S)
        except KafkaException as error:  # somebody may just be replacing its files
            return unasked(error)
        answer: Future[Any] = answers[self._group]
        return answer

    def check(self, answer: Future[Any]) -> None:
        """Look at an answer."""
        try:
            checked(answer.result().topic_partitions or [])
        except KafkaException as error:
            raise refused(error) from error

    def drop(self) -> None:
        """Let go of what was written."""
        self._client = None
