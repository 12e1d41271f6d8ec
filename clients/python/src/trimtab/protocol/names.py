"""Names: of groups, members, topics, brokers. One rule for all, said once.

**The rule.** A name is 1 to 255 Unicode characters, none of them a control character, a line or
paragraph separator or a lone surrogate. So a group has the name that it has in Kafka, slashes and
all. No group and no cluster is called as one of the three keys that are the controller's own. A
broker's name may be empty: Kafka's queues belong to no broker by name. Names are compared and
stored exactly as they came: no trimming, no case folding, no normalisation.

The forbidden sets (Cc, Cs, Zl, Zp) are those which Unicode promises never to change. "Unassigned"
is not among them on purpose: it depends on the reader's Unicode version, so the same log would be
judged differently after an upgrade.

On the wire a name is text, and so it is `str` here; the controller gives it a type of its own.
"""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from trimtab.protocol import limits

_FORBIDDEN: Final = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
ANY: Final = rf"^[^{_FORBIDDEN}]*$"
"""What a name may be made of."""

TICK_KEY: Final = b"$tick"
"""The key of the controller's ticks on `heartbeats`."""
START_KEY: Final = b"$start"
TOLD_KEY: Final = b"$told"
"""The keys of the controller's starts on `routes`, and of what it tells itself there."""
_RESERVED: Final = frozenset(key.decode() for key in (TICK_KEY, START_KEY, TOLD_KEY))


def _unreserved(name: str) -> str:
    if name in _RESERVED:
        raise PydanticCustomError("reserved", "The controller has records under this name")
    return name


GroupName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY),
    AfterValidator(_unreserved),
    Field(description="A consumer group.", json_schema_extra={"not": {"enum": sorted(_RESERVED)}}),
]
ClusterName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY),
    AfterValidator(_unreserved),
    Field(description="A message cluster.", json_schema_extra={"not": {"enum": sorted(_RESERVED)}}),
]
MemberName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY),
    Field(description="A member, unique in its group."),
]
TopicName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY),
    Field(description="A topic."),
]
Pattern = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.PATTERN_CHARACTERS, pattern=ANY),
    Field(
        description="Every topic of a matching name: `*` stands for any run of characters, `?` for "
        "any one, all else for itself. Never one that begins with `__`, nor one of trimtab's own."
    ),
]
BrokerName = Annotated[
    str,
    StringConstraints(max_length=limits.NAME_CHARACTERS, pattern=ANY),
    Field(description='A broker; "" where queues belong to no broker by name (Kafka).'),
]
Label = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY),
    Field(description="A name given by people: an instance, a rack, a principal, a client."),
]
Text = Annotated[
    str,
    StringConstraints(max_length=limits.TEXT_CHARACTERS, pattern=ANY),
    Field(description="One line for people."),
]
Token = Annotated[
    str,
    StringConstraints(
        min_length=1, max_length=limits.TOKEN_CHARACTERS, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$"
    ),
    Field(description="A machine word. New ones may appear in any version; readers pass them on."),
]
Incarnation = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{13}-[0-9a-f]{8}$"),
    Field(
        description="One life of a member: the start in milliseconds, 13 digits, and 8 random hex "
        "digits. The order of the strings is the order of age."
    ),
]
CommonMode = Literal["broadcasting", "shared"]
"""How a member takes part that owns nothing; one that owns needs no word for it."""
