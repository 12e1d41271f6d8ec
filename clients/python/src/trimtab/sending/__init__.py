"""What is behind `Producer`: where each message goes, what became of it, and the reports about it.

The way of a message: `dispatch` has prepared the turns, so that sending takes the next one and no
more; `confluent` or `kafka_python` hands it to the client library; the result goes into its
broker's `BrokerTimes`, or, if it failed and time is left, the message goes to another broker
(`patience`). Beside that, `keeper` follows the verdicts, looks up the leaders, and reports to the
controller through a `Link`. A library is imported only when it is chosen.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Protocol, cast

from trimtab.selector import BrokerSelector
from trimtab.sending.contract import Link, Place, Sender
from trimtab.sending.patience import Patience
from trimtab.transports import Client, installed

_LIBRARIES: Final[Mapping[Client, str]] = {
    "confluent": "trimtab.sending.confluent",
    "kafka-python": "trimtab.sending.kafka_python",
}
"""For each client (and extra), our translation of it."""


class Library(Protocol):
    """What a translation offers."""

    def make_sender(self, place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
        """Make what sends an application's messages."""

    def make_link(self, place: Place, prefix: str) -> Link:
        """Make the way to the controller."""


def choose(client: Client | None) -> Library:
    """Load a translation; without a choice, that of the first client which is installed."""
    library: Any = import_module(_LIBRARIES[installed(client)])
    return cast("Library", library)
