"""Topic `rocketmq`, keyed by client: what RocketMQ's own clients say to a broker, word for word.

The body of a HEART_BEAT names every group that the client is a member of; the fields of an
UNREGISTER_CLIENT name one that it leaves. Either is a registration change: what such a record says
of one group, in our words and within our limits. Groups of producers are skipped: only what
producers report about brokers matters (topic `latency`).

Read by the controller. Its one rule: one group that cannot be understood spoils no other.
"""

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field

from trimtab.protocol import limits
from trimtab.protocol.heartbeat_data import (
    ConsumerData,
    ConsumeType,
    CopiedHeartbeat,
    MessageModel,
    checked,
    read_request,
)
from trimtab.protocol.members import Mode
from trimtab.protocol.names import GroupName, MemberName, TopicName
from trimtab.protocol.partitioner import murmur2
from trimtab.protocol.reasons import UndecodableRecord
from trimtab.protocol.record import Part

SESSION_TIMEOUT_MS: Final = 120_000
"""Silence after which a broker removes a client (`channelExpiredTimeout`): four heartbeats."""


_NO_START: Final = f"{0:013}-"
"""What the life of a client begins with."""


def is_copied(incarnation: str) -> bool:
    """Tell whether a member is known by copies of its heartbeats, and does not speak for itself."""
    return incarnation.startswith(_NO_START)


class _OfAClient(Part):
    client: MemberName
    group: GroupName

    @property
    def incarnation(self) -> str:
        """The one life of a client, which says nothing of its start: older than any that does."""
        return f"{_NO_START}{murmur2(self.client.encode()):08x}"


class Registration(_OfAClient):
    """A client is a member of a group."""

    topics: Annotated[frozenset[TopicName], Field(max_length=limits.TOPICS_PER_MEMBER)] | None
    """None: as it said last, or as the group's others did (heartbeats V2)."""
    mode: Mode
    groups_hash: int = 0
    """A hash of all the groups that the record names: of others it is nearly always another."""
    doubled: bool = False
    """The broker has heard two processes under this client id."""


class Unregistration(_OfAClient):
    """A client is a member of a group no more."""


RegistrationChange = Registration | Unregistration

_MODES: Final[dict[MessageModel, Mode]] = {
    MessageModel.CLUSTERING: "clustering",
    MessageModel.BROADCASTING: "broadcasting",
}


def registration_changes(value: bytes | None) -> Iterator[RegistrationChange | UndecodableRecord]:
    """Yield what a record says of each group, or why that cannot be understood.

    Raises:
        UndecodableRecord: Nothing of the record can be understood.
    """
    if value is None:
        raise UndecodableRecord("null_value", "The record has no value")
    if value.count(b"{") > limits.BEANS_PER_HEARTBEAT:
        raise UndecodableRecord("oversize", f"More than {limits.BEANS_PER_HEARTBEAT} objects")
    request = read_request(value, 0)
    if request is None:
        raise UndecodableRecord("not_object", "RocketMQ reads nothing in it")
    if request.client_id is None:
        raise UndecodableRecord("invalid", "clientID: is missing")
    if isinstance(request, CopiedHeartbeat):
        yield from _registrations(request.client_id, request)
    elif request.consumer_group is not None:
        names = {"client": request.client_id, "group": request.consumer_group}
        yield checked(Unregistration, names)


def _registrations(
    client: str, data: CopiedHeartbeat
) -> Iterator[RegistrationChange | UndecodableRecord]:
    consumers = data.consumer_data_set or ()
    if len(consumers) > limits.GROUPS_PER_CLIENT:
        detail = f"consumerDataSet: names more than {limits.GROUPS_PER_CLIENT} groups"
        raise UndecodableRecord("invalid", detail)
    names = sorted({str(it.group_name) for it in consumers if it is not None})
    of_all = {"groups_hash": murmur2("/".join(names).encode()), "doubled": data.doubled}
    for place, consumer in enumerate(consumers):
        said = (
            None
            if consumer is None
            else _said(consumer, client, subscribes=not data.without_sub) | of_all
        )
        try:
            yield checked(Registration, said, "consumerDataSet", place)
        except UndecodableRecord as error:
            yield error


def _said(consumer: ConsumerData, client: str, *, subscribes: bool) -> dict[str, object]:
    """Return what counts here, nulls and all; the model refuses them where something has to be."""
    wanted = (None,) if consumer.subscription_data_set is None else consumer.subscription_data_set
    topics = [None if it is None else it.topic for it in wanted]
    model = consumer.message_model
    pops = consumer.consume_type is ConsumeType.CONSUME_POP and model is MessageModel.CLUSTERING
    return {
        "client": client,
        "group": consumer.group_name,
        "topics": frozenset(topics) if subscribes else None,
        "mode": "shared" if pops else None if model is None else _MODES[model],
    }
