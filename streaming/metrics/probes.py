"""Probes: is the controller alive, and is it ready? Answered from the readiness file.

Ready means that a batch was committed within the last so many ticks, as `trimtab health` sees it.
A controller that waits for Kafka is alive and not ready: to start it again would help nobody. A
standby is ready when it could take over, and says that it is one.

Asked by ``endpoint``.
"""

from pathlib import Path
from typing import Final

from streaming.metrics.endpoint import State
from streaming.process.readiness import age_s, standby_age_s

READY_TICKS: Final = 10
"""A healthy controller commits a batch with every tick or two. One that decides about thousands of
joins in one batch is not ready meanwhile."""


def alive() -> State:
    """Answer at all: a controller that hangs is ended by its watchdog."""
    return State(is_well=True, details={})


def could_take_over(home: Path, rhythm_ms: int) -> bool:
    """Tell whether a standby is here that follows the active controller."""
    standby = standby_age_s(home)
    return standby is not None and age_s(home) is None and standby <= _patience_s(rhythm_ms)


def _patience_s(rhythm_ms: int) -> float:
    return READY_TICKS * rhythm_ms / 1000


def ready(home: Path, rhythm_ms: int) -> State:
    """Tell whether batches are committed, or could be."""
    age, patience_s = age_s(home), _patience_s(rhythm_ms)
    if age is None and standby_age_s(home) is not None:
        follows = could_take_over(home, rhythm_ms)
        reason = {} if follows else {"reason": "it does not follow: does Kafka answer?"}
        return State(follows, {"role": "standby", **reason})
    if age is None:
        return State(is_well=False, details={"reason": "no batch since the start, or a failure"})
    details: dict[str, object] = {"batch_age_s": round(age, 1)}
    if age > patience_s:
        details["reason"] = f"no batch for more than {patience_s:g} s"
    return State(age <= patience_s, details)
