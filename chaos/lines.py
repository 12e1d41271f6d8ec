"""The lines: how each member and the controller are connected with the broker.

Each goes through a proxy of its own. A client goes where the broker says that it is, so for each
line the broker has a listener, and says that this is where the proxy listens. Used by the round,
which hurts lines by `injector`. Its one rule: who hurts and checks has no line, and hears all.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final, Self

from bench.brokers.proxy import Proxy
from chaos.faults import Fault, Kind
from console.embedded.broker_files import LOOPBACK

_LATE_S: Final = 0.4
"""Each way: a question and its answer take most of a second."""


class Lines:
    """The lines of a broker, for as long as the ``with`` block runs.

    Args:
        ports: Free ones: where the broker listens for each line, then where each proxy does. The
            broker is to be told `properties_of` them before it starts.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self.properties = self.properties_of(ports)
        """What the broker is told."""
        self._proxies = [Proxy(told, listens) for listens, told in _ends(ports)]
        self._running = ExitStack()

    @staticmethod
    def properties_of(ports: Sequence[int]) -> Mapping[str, str]:
        """What the broker is to be told of lines at these ports."""
        if not ports:
            return {}
        ends = [(f"LINE{number}", *both) for number, both in enumerate(_ends(ports))]
        of_all = {
            "listeners": [f"{name}://{LOOPBACK}:{listens}" for name, listens, _ in ends],
            "advertised.listeners": [f"{name}://{LOOPBACK}:{told}" for name, _, told in ends],
            "listener.security.protocol.map": [f"{name}:PLAINTEXT" for name, _, _ in ends],
        }
        return {name: ",".join(those) for name, those in of_all.items()}

    def hurt(self, fault: Fault) -> None:
        """Do what is to be done to a line."""
        proxy = self._of(fault)
        match fault.kind:
            case Kind.CUT | Kind.CONTROLLER_CUT:
                proxy.cut()
            case Kind.HELD_UP | Kind.CONTROLLER_HELD_UP:
                proxy.stall()
            case _:
                proxy.delay_s = proxy.asking_delay_s = _LATE_S

    def mend(self, fault: Fault) -> None:
        """Undo it."""
        self._of(fault).mend()

    def servers(self, number: int) -> str:
        """What a client at this end connects to."""
        return f"{LOOPBACK}:{self._proxies[number].port}"

    def _of(self, fault: Fault) -> Proxy:
        """The proxy of its victim; the controller has the last line."""
        return self._proxies[fault.victims[0] if fault.victims else -1]

    def __enter__(self) -> Self:
        for proxy in self._proxies:
            self._running.enter_context(proxy)
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()


def _ends(ports: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where the broker listens, and where it says that it does, line by line."""
    count = len(ports) // 2
    return zip(ports[:count], ports[count:], strict=True)
