"""What is behind `Producer`: whose turn it is, what became of each message, and who hears of it.

The way of a message: `dispatch` has dealt the turns beforehand, so that sending takes the next one
and no more; a client's translation (`confluent`, `kafka_python`) hands it to the library; what
comes of it goes into its broker's `ledger`, or, if it failed and time is left, to another broker
(`patience`). Behind all that `keeper` follows the verdicts, looks who leads what, and reports; its
way to the controller is a `post`. A library is imported only when it is chosen.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Protocol, cast

from trimtab.errors import ConfigurationError
from trimtab.selector import BrokerSelector
from trimtab.sending.contract import Place, Post, Sender
from trimtab.sending.patience import Patience
from trimtab.transports import Client

_CLIENTS: Final[dict[Client, tuple[str, str]]] = {
    "confluent": ("confluent_kafka", "confluent"),
    "kafka-python": ("kafka", "kafka_python"),
}
"""For each client (and extra): the module that must be installed, and our translation of it."""


class Library(Protocol):
    """What a translation offers."""

    def make_sender(self, place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
        """Make what sends an application's messages."""

    def make_post(self, place: Place, prefix: str) -> Post:
        """Make the way to the controller."""


def choose(client: Client | None) -> Library:
    """Load a translation; without a choice, that of the first client which is installed."""
    if client is not None and client not in _CLIENTS:
        raise ConfigurationError(f'client: "{client}" is none of {", ".join(_CLIENTS)}')
    for name in [client] if client is not None else _CLIENTS:
        needs, module = _CLIENTS[name]
        if find_spec(needs) is not None:
            library: Any = import_module(f"trimtab.sending.{module}")
            return cast("Library", library)
    extra = client or "confluent"
    raise ConfigurationError(f"no Kafka client is installed: pip install 'trimtab[{extra}]'")
