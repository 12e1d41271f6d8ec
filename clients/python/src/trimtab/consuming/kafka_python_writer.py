"""Writing positions by kafka-python: its admin client sends each request once.

Chosen by `assembly`. See `contract.Writer`.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from kafka import TopicPartition
from kafka.errors import UnknownMemberIdError
from kafka.structs import OffsetAndMetadata

from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.kafka_python_group import GroupClient
from trimtab.consuming.kafka_python_settings import group_settings
from trimtab.protocol import QueueRef


class KafkaPythonWriter:
    """See `Writer`."""

    def __init__(self, wish: Wish) -> None:
        self._client = GroupClient(group_settings(wish))
        self._group = wish.group

    def write(self, places: Mapping[QueueRef, tuple[int, str]]) -> Future[Any]:
        """Send these."""
        offsets = {
            TopicPartition(it.topic, it.id): OffsetAndMetadata(offset, said, -1)
            for it, (offset, said) in places.items()
        }
        return self._client.ask(lambda admin: admin.alter_group_offsets(self._group, offsets))

    def check(self, answer: Future[Any]) -> None:
        """Look at an answer."""
        for error in self._client.answer(answer, 0).values():
            if error.errno:
                raise RefusedError(error(), is_subscribed=error is UnknownMemberIdError)

    def drop(self) -> None:
        """Let go of what was written."""
        self._client.drop()
