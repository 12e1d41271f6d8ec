"""Telling the application what became of a message, and knowing in which threads that goes on.

librdkafka runs callbacks inside of a call that asks for reports, and a second such call of the same
client inside of the first ends the process (confluent-kafka-python, issue 457). But a callback may
send, and sending asks. So it is known of each thread whether it may be in a callback.

Used by the senders. Its one rule: a callback waits for no other callback of its producer.
"""

import threading
from collections.abc import Callable
from typing import Any

from trimtab.callbacks import mistaken
from trimtab.errors import ConfigurationError


class Here(threading.local):
    """Whether this thread may be in a callback of one producer: it is, within `with`."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    def refuse(self, call: str) -> None:
        """Refuse a call that waits for callbacks, in one of them.

        Raises:
            ConfigurationError: It is one.
        """
        if self.depth:
            raise ConfigurationError(
                f"{call}: it waits for callbacks, so no callback may call it: have another thread "
                "do it"
            )


def tell(on_delivery: Callable[..., object], *said: Any) -> None:  # noqa: ANN401 - of either client
    """Tell the application.

    What it raises is logged: librdkafka's client would raise it from the `send` of another message,
    which is on its way then. `SystemExit` passes: a handler of signals may raise it on a thread of
    the application's own.
    """
    try:
        on_delivery(*said)
    except Exception as error:  # noqa: BLE001 - it is logged
        mistaken(error)
