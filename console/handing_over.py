"""A hand-over between controllers: an operator asks a standby to take over, and waits until it has.

The request stands on `controllers` under the standby's name, until its next status replaces it.
What it says there is also the answer.

Called by `trimtab controllers hand-over`. Done means that the standby has committed a batch.
"""

import time
from typing import Final

from confluent_kafka import KafkaException
from pydantic import ValidationError

from console.at_work import HEARD_S, Ages
from console.errors import ExitCode, Failure
from console.operator_commands import PerhapsGiven, user, write
from console.published import Published
from trimtab.protocol import CONTROLLERS, Controller, HandOver

_LOOK_S: Final = 0.5


def chosen(published: Published, name: str | None) -> str:
    """Return which standby is meant: the one that is named, or the only one.

    Raises:
        Failure: There is no such standby, or Kafka does not answer.
    """
    return _chosen(_living(published), name)


def hand_over_to(published: Published, standby: str, reason: str, patience_s: float) -> None:
    """Ask for it, and wait until it has happened, whatever a look at it meets meanwhile.

    Raises:
        Failure: Kafka did not take it.
        PerhapsGiven: It has not happened in time, and still may.
    """
    try:
        asked = HandOver(controller=standby, principal=user(), reason=reason)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Failure(f"--reason: {first['msg']}", ExitCode.USAGE) from error
    write(published.settings, CONTROLLERS, standby, asked)
    deadline, unseen = time.monotonic() + patience_s, ""
    while time.monotonic() < deadline:
        try:
            if any(_is_at_work(it, standby) for _, it in published.controllers()):
                return
            unseen = ""
        except Failure as error:
            unseen = f" ({error})"
        except KafkaException as error:  # no client, as while a certificate is replaced
            unseen = f" ({error.args[0].str()})"
        time.sleep(_LOOK_S)
    said = f"{standby} has been asked and is not seen at work within {patience_s:.0f} s{unseen}"
    remedy = "see its log, and `trimtab controllers list`; what was asked stays written"
    raise PerhapsGiven(f"{said}, and may still be: {remedy}", ExitCode.TIMEOUT)


def _is_at_work(it: Controller, standby: str) -> bool:
    return it.controller == standby and it.role == "active" and it.batch is not None


def _living(published: Published) -> dict[str, Controller]:
    """Return who speaks: no clock here agrees with Kafka's by rights."""
    ages = Ages()
    ages.of(published.controllers())
    time.sleep(HEARD_S)
    again = ages.of(published.controllers())
    return {it.controller: it for _, it in again if it.controller in ages.heard}


def _chosen(living: dict[str, Controller], name: str | None) -> str:
    standbys = sorted(it for it, status in living.items() if status.role == "standby")
    if name is None and len(standbys) == 1:
        return standbys[0]
    if name in standbys:
        return name
    if not standbys:
        reason = "there is no standby: start one with `trimtab run --standby`"
    elif name is None:
        reason = f"say which standby takes over: {', '.join(standbys)}"
    else:
        reason = f"there is no standby {name}; there is {', '.join(standbys)}"
    raise Failure(reason, ExitCode.NOT_FOUND)
