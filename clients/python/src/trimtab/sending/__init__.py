"""What is behind `Producer`: whose turn it is, what became of each message, and who hears of it.

The way of a message: `dispatch` has dealt the turns beforehand, so that sending takes the next one
and no more; a client's translation (`confluent`, `kafka_python`) hands it to the library; what
comes of it goes into its broker's `ledger`, or, if it failed and time is left, to another broker
(`patience`). Behind all that `keeper` follows the verdicts, looks who leads what, and reports; its
way to the controller is a `post`. A library is imported only when it is chosen.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Protocol, cast

from trimtab.selector import BrokerSelector
from trimtab.sending.contract import Place, Post, Sender
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

    def make_post(self, place: Place, prefix: str) -> Post:
        """Make the way to the controller."""


def choose(client: Client | None) -> Library:
    """Load a translation; without a choice, that of the first client which is installed."""
    library: Any = import_module(_LIBRARIES[installed(client)])
    return cast("Library", library)
