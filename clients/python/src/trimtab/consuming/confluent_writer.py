"""Writing positions by confluent-kafka.

A consumer's own commit has no end: while the group's coordinator hangs, librdkafka sends it again
and again, nobody can take it back, and a consumer that is closed waits for it. An admin client
sends the same request once at most, within the time that it is given; and when the client is
dropped, what was not sent yet is taken back.

Chosen by `assembly`. See `contract.Writer`.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException
from confluent_kafka.admin import AdminClient

from trimtab.consuming.confluent import checked, place, refused
from trimtab.consuming.confluent_settings import client_settings, commit_settings
from trimtab.consuming.contract import Wish
from trimtab.protocol import QueueRef


class ConfluentWriter:
    """See `Writer`."""

    def __init__(self, wish: Wish) -> None:
        self._settings = commit_settings(client_settings(wish), wish.patience_s)
        self._group, self._patience_s = wish.group, wish.patience_s
        self._client: AdminClient | None = AdminClient(self._settings)

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> Future[Any]:
        """Send these."""
        if (client := self._client) is None:  # an idle client is falsy: its length is 0
            client = self._client = AdminClient(self._settings)
        offsets = [place(it, *said) for it, said in places.items()]
        asked = [ConsumerGroupTopicPartitions(self._group, offsets)]
        answers = client.alter_consumer_group_offsets(asked, request_timeout=self._patience_s)
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
