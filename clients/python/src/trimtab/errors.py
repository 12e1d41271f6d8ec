"""Everything that trimtab raises, or reports to `on_error`.

TrimtabError
├── UndecodableRecord      a record of the wire that cannot be read; skipped, reported
├── ConfigurationError     an argument makes no sense, or a Kafka client is not installed
├── TransportError         Kafka cannot be reached, or denies, or a topic of trimtab's is missing:
│                          tried again, reported
├── NoControllerError      no controller answers a join: the member goes on asking, reported
├── NoTopicError           a topic to work on does not exist: the member waits for it, reported
├── SharedGroupError       other programs subscribe to Kafka under the group's name, reported
├── SlowCallbackError      a callback of the application takes too long, reported
├── GuardError             the guard of a member does not stand: it works on without, reported
├── CommitError            Kafka did not take a commit, or did not say so in time
├── NoQueueError           a topic has no queue that could be written to
└── MemberFailedError      the member has ended by itself; `member.failure` holds it
    ├── CallbackError      a callback of the application raised (see `__cause__`)
    ├── StuckError         a consumer's loop has not come back within `max_poll_interval`
    └── ReplacedError      a younger process joined under the same member id
"""

from typing import Self

from trimtab.protocol.reasons import TrimtabError, UndecodableRecord

__all__ = [
    "CallbackError",
    "CommitError",
    "ConfigurationError",
    "GuardError",
    "MemberFailedError",
    "NoControllerError",
    "NoQueueError",
    "NoTopicError",
    "ReplacedError",
    "SharedGroupError",
    "SlowCallbackError",
    "StuckError",
    "TransportError",
    "TrimtabError",
    "UndecodableRecord",
]


class ConfigurationError(TrimtabError):
    """An argument makes no sense, or what it asks for is not installed."""


class TransportError(TrimtabError):
    """Kafka cannot be reached, or is not set up; the member keeps trying."""

    def __init__(self, text: str, *, guessed: bool = False) -> None:
        super().__init__(text)
        self.guessed = guessed
        """Whether nobody has said why: it takes back nothing that was known before."""


class NoControllerError(TrimtabError):
    """No controller has answered a join that is in the log; the member goes on asking."""


class NoTopicError(TrimtabError):
    """A topic that the member is to work on does not exist yet."""


class SharedGroupError(TrimtabError):
    """Programs that are no members of trimtab subscribe to Kafka under the name of the group."""


class SlowCallbackError(TrimtabError):
    """A callback of the application runs for too long; this is told when it has returned."""


class GuardError(TrimtabError):
    """A member works without its guard: if it is killed, only its silence shows that."""


class CommitError(TrimtabError):
    """Kafka did not take a commit, or did not say so in time; `__cause__` is the client's error."""


class NoQueueError(TrimtabError):
    """A topic has no queue that could be written to."""


class MemberFailedError(TrimtabError):
    """The member has ended by itself, and all its queues are lost."""

    @classmethod
    def by(cls, error: BaseException) -> Self:
        """Return the one that another error has brought about."""
        failure = cls(f"the member failed: {error!r}")
        failure.__cause__ = error
        return failure


class CallbackError(MemberFailedError):
    """A callback of the application raised, so it is not known what it is working on."""


class ReplacedError(MemberFailedError):
    """A newer process joined under the same member id; this member does not join again."""

    def __init__(self, member: str) -> None:
        super().__init__(member)  # and nothing else: it is pickled by what it is made of

    def __str__(self) -> str:
        """What has happened, and what to do."""
        return (
            f'a newer process has taken the name of member "{self.args[0]}" now:'
            " give each process a name of its own"
        )


class StuckError(MemberFailedError):
    """A consumer's loop has not come back for too long, so its queues went to others."""
