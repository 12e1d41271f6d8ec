"""HeartbeatData: what a RocketMQ client says to its brokers every 30 s, word for word.

The models have RocketMQ's fields under RocketMQ's names, and are read as its broker reads them
(fastjson): a key may be spelt in another case or with `_` and `-` in it, a number may be text and
text a number, an enum may be an ordinal or in lower case, an unknown one is null, and so is a bean
written as "" or []. Text that is not JSON (comments, single quotes, keys without quotes) is
refused, although fastjson would read it.

Read by the controller on topic `rocketmq`; written by tests and by programs that imitate a client.
It reads what a real client writes as a real broker does.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from math import isfinite
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, from_json

from trimtab.protocol.reasons import UndecodableRecord

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


class ConsumeType(StrEnum):
    """How a consumer gets its messages; in the order of Java's ordinals, as all of these."""

    CONSUME_ACTIVELY = "CONSUME_ACTIVELY"
    CONSUME_PASSIVELY = "CONSUME_PASSIVELY"
    CONSUME_POP = "CONSUME_POP"


class MessageModel(StrEnum):
    """Whether each message goes to one member or to all."""

    BROADCASTING = "BROADCASTING"
    CLUSTERING = "CLUSTERING"


class ConsumeFromWhere(StrEnum):
    """Where a group without offsets begins; the second to the fourth are deprecated."""

    CONSUME_FROM_LAST_OFFSET = "CONSUME_FROM_LAST_OFFSET"
    CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST = (
        "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST"
    )
    CONSUME_FROM_MIN_OFFSET = "CONSUME_FROM_MIN_OFFSET"
    CONSUME_FROM_MAX_OFFSET = "CONSUME_FROM_MAX_OFFSET"
    CONSUME_FROM_FIRST_OFFSET = "CONSUME_FROM_FIRST_OFFSET"
    CONSUME_FROM_TIMESTAMP = "CONSUME_FROM_TIMESTAMP"


def _word(words: type[StrEnum]) -> BeforeValidator:
    """Read an enum: by name, in any case, or by ordinal; an unknown name is null."""
    ordinals = list(words)
    names = {word.value.lower(): word for word in words} | {word.value: word for word in words}

    def read(value: object) -> object:
        if isinstance(value, str):
            return names.get(value) or names.get(value.lower())
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(ordinals):
            return ordinals[value]
        return value

    return BeforeValidator(read)


def _bean(value: object) -> object:
    return None if value in ("", []) else value


def _now(value: object, info: ValidationInfo) -> object:
    return info.context if value is None else value


def _plain(default: T) -> BeforeValidator:
    """A null for a Java primitive leaves it as it was."""
    return BeforeValidator(lambda value: default if value is None else value)


def _distinct(items: tuple[T, ...] | None) -> tuple[T, ...] | None:
    return None if items is None else tuple(dict.fromkeys(items))


def _spelt(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


@cache
def _spellings(bean: type[BaseModel]) -> Mapping[str, str]:
    keys = [str(field.alias) for field in bean.model_fields.values()]
    return {_spelt(key): key for key in keys} | {key: key for key in keys}


Flag = Annotated[bool, _plain(default=False)]


_UNREGISTER_CLIENT: Final = 35
"""The code of that request in RocketMQ's protocol."""


class _Data(BaseModel):
    """One of RocketMQ's beans. Fields are declared in the order in which fastjson writes them."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        populate_by_name=True,
        coerce_numbers_to_str=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # what strangers wrote stays out of logs
    )

    @model_validator(mode="before")
    @classmethod
    def _any_spelling(cls, value: object) -> object:
        known = _spellings(cls)
        if not isinstance(value, dict):
            return value
        if any(isinstance(it, float) and not isfinite(it) for it in value.values()):
            raise PydanticCustomError("infinite", "A number is too large")  # "inf" would be a name
        if value.keys() <= known.keys():
            return value  # as a real client spells them
        return {known.get(_spelt(key), key): item for key, item in value.items()}


class SubscriptionData(_Data):
    """One topic, and which of its messages."""

    class_filter_mode: Flag = False
    code_set: frozenset[int] | None = frozenset()
    expression_type: str | None = "TAG"
    sub_string: str | None = None
    sub_version: Annotated[int | None, BeforeValidator(_now)] = Field(
        default=None, validate_default=True
    )
    tags_set: frozenset[str] | None = frozenset()
    topic: str | None = None


class ConsumerData(_Data):
    """One group that the client is a member of."""

    consume_from_where: Annotated[ConsumeFromWhere | None, _word(ConsumeFromWhere)] = None
    consume_type: Annotated[ConsumeType | None, _word(ConsumeType)] = None
    group_name: str | None = None
    message_model: Annotated[MessageModel | None, _word(MessageModel)] = None
    subscription_data_set: Annotated[
        tuple[Annotated[SubscriptionData | None, BeforeValidator(_bean)], ...] | None,
        AfterValidator(_distinct),  # the only of the sets whose items Java compares
    ] = ()
    unit_mode: Flag = False


class ProducerData(_Data):
    """One group of producers that the client is a member of."""

    group_name: str | None = None


class HeartbeatData(_Data):
    """Everything that one client does."""

    client_id: str | None = Field(default=None, alias="clientID")
    consumer_data_set: (
        tuple[Annotated[ConsumerData | None, BeforeValidator(_bean)], ...] | None
    ) = ()
    heartbeat_fingerprint: Annotated[int, _plain(0)] = 0
    producer_data_set: (
        tuple[Annotated[ProducerData | None, BeforeValidator(_bean)], ...] | None
    ) = ()
    without_sub: Flag = False


class CopiedHeartbeat(HeartbeatData):
    """The same, and what our hook in a broker adds to its copy."""

    doubled: Flag = Field(default=False, alias="trimtabDoubled")
    """It has heard this client id over two channels by turns: so it is two processes."""


class UnregisterClient(_Data):
    """The fields of an UNREGISTER_CLIENT: the client leaves one group of either sort, or two."""

    client_id: str | None = Field(default=None, alias="clientID")
    consumer_group: str | None = None
    producer_group: str | None = None


def read_heartbeat(body: bytes, now: int) -> HeartbeatData | None:
    """Read a heartbeat's body; None where RocketMQ 5 reads null.

    Args:
        body: UTF-8 JSON.
        now: In milliseconds: the version of subscriptions that name none.

    Raises:
        UndecodableRecord: RocketMQ would throw, or it is not JSON.
    """
    document = _document(body)
    return None if document is None else checked(HeartbeatData, document, now=now)


def read_request(body: bytes, now: int) -> CopiedHeartbeat | UnregisterClient | None:
    """Read a heartbeat's body, or the fields of an UNREGISTER_CLIENT, by what is in it.

    The fields may stand alone or in the header that they travel in, with the code of the request.

    Raises:
        UndecodableRecord: As for a heartbeat.
    """
    document = _document(body)
    if document is None:
        return None
    if document.get("code") == _UNREGISTER_CLIENT and isinstance(document.get("extFields"), dict):
        return checked(UnregisterClient, document["extFields"], "extFields")
    if {"consumergroup", "producergroup"} & set(map(_spelt, document)):
        return checked(UnregisterClient, document)
    return checked(CopiedHeartbeat, document, now=now)


def write_heartbeat(data: HeartbeatData) -> bytes:
    """Write a heartbeat's body as a client does: keys in alphabetical order, no nulls."""
    return data.model_dump_json(by_alias=True, exclude_none=True).encode()


def _document(body: bytes) -> dict[str, Any] | None:
    if not body.strip():
        return None
    try:
        document = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise UndecodableRecord("garbage", str(error)) from None
    if _bean(document) is None:
        return None
    if not isinstance(document, dict):
        raise UndecodableRecord("not_object", "The value is not a JSON object")
    return document


def checked(model: type[M], document: object, *path: str | int, now: int = 0) -> M:
    """Read a part of a document as a model; ``path`` leads to it.

    Raises:
        UndecodableRecord: It does not fit, and where.
    """
    try:
        return model.model_validate(document, context=now)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in (*path, *first["loc"]))
        raise UndecodableRecord("invalid", f"{place}: {first['msg']}") from None
