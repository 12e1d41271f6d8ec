"""How a command ends: the exit codes, and the one exception that carries one.

An expected failure (no Java, an unknown setting, a topic that does not match) is a ``Failure``:
the command prints its message as one line on stderr and exits with its code. Anything else is a
defect and shows as such. Raised everywhere in ``console``, caught only in ``console.main``.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """The contract with scripts; the same numbers for every command."""

    OK = 0
    ERROR = 1
    USAGE = 2
    """The call or the machine is not fit: an unknown setting, a missing tool."""
    UNHEALTHY = 3
    """The command worked, and what it looked at is not as it should be."""
    NOT_FOUND = 4
    TIMEOUT = 5
    STUCK = 6
    """`trimtab run` hung, and has ended itself: start it again."""
    TAKEN_OVER = 7
    """`trimtab run`: another controller is at work, or has taken over."""
    INTERRUPTED = 130
    """128 + SIGINT, as shells have it."""


class Failure(Exception):  # noqa: N818 - what the user sees is a failure, not an error of ours
    """An expected failure.

    Args:
        message: What is wrong and what to do about it, one line for each problem.
        exit_code: How the command exits.
        details: What to print below it as it is, such as the end of a log.
    """

    def __init__(
        self, message: str, exit_code: ExitCode = ExitCode.ERROR, *, details: str = ""
    ) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.details = details


class Away(Failure):
    """Kafka is not there now; asked again later, it may answer."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.TIMEOUT) -> None:
        super().__init__(message, exit_code)


class Leaderless(Away):
    """One partition is not there now, and the rest of Kafka answers."""
