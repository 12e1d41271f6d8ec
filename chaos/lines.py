"""The lines: how each member and the controller are connected with the broker.

Each goes through a proxy of its own. A client goes where the broker says that it is, so for each
line the broker has a listener, and says that this is where the proxy listens. Used by the round,
which hurts lines by `injector`. Its one rule: who hurts and checks has no line, and hears all.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final, Self

from bench.brokers.proxy import Proxy
from chaos.faults import Fault, Kind
from console.embedded.broker_files import LOOPBACK
from console.embedded.ports import choose_ports

_LATE_S: Final = 0.4
"""Each way: a question and its answer take most of a second."""


class Lines:
    """So many lines, for as long as the ``with`` block runs; it is to begin before the broker."""

    def __init__(self, count: int) -> None:
        self._ports = choose_ports(count)
        self._proxies = [Proxy(0, port) for port in self._ports]
        self._running = ExitStack()

    def __len__(self) -> int:
        """How many."""
        return len(self._proxies)

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

    @property
    def properties(self) -> Mapping[str, str]:
        """What the broker is to be told."""
        if not self._proxies:
            return {}
        names = [f"LINE{number}" for number in range(len(self))]
        listens = zip(names, self._ports, strict=True)
        told = zip(names, (it.port for it in self._proxies), strict=True)
        return {
            "listeners": ",".join(f"{name}://{LOOPBACK}:{port}" for name, port in listens),
            "advertised.listeners": ",".join(f"{name}://{LOOPBACK}:{it}" for name, it in told),
            "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in names),
        }

    def __enter__(self) -> Self:
        for proxy in self._proxies:
            self._running.enter_context(proxy)
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()
