"""Questions to the rules of the brokers' hook, and what it answers.

A program plays the rules: they look at no clock, so each question names its second. Its one rule:
it judges no answer.
"""

import json
from typing import Final

from tests.builders.sessions import assignment
from tests.integration.java_programs import answered, java
from trimtab.protocol import HolderRef, encode

NONE_YET: Final = "{}"
OWN: Final = "own"
PATIENCE_S: Final = 10
"""Of the program that plays the rules."""


def begin(*lines: str) -> list[str]:
    """What the hook answers to these, in order; it copies the heartbeats of `billing`."""
    return answered([*java("rocketmq.broker.HookRules", hook={}), "billing"], lines)


def play(*lines: str) -> list[str]:
    """The same, when a controller was heard in the second in which it began."""
    return begin("controller 0", *lines)[1:]


def share(*queues: int, broker: str = "broker-a", asked: bool = False) -> str:
    """A client's record on the topic `assignments`; it may be asked to join again."""
    hold = tuple(HolderRef("orders", broker, number, 1) for number in queues)
    told = {"hold": hold, "join_again": asked or None}
    return encode(assignment(1).model_copy(update=told)).decode()


def queues(answer: str, mode: str = "PULL") -> list[int]:
    """The queues that a broker's answer names, all to be had in this way."""
    rows = json.loads(answer)["messageQueueAssignments"]
    assert {mode} >= {it["mode"] for it in rows}
    return sorted(it["messageQueue"]["queueId"] for it in rows)
