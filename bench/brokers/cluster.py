"""Three brokers on loopback, each a controller too, made of the embedded Kafka's parts.

Every broker has a listener for clients and one for brokers; the proxy stands before the clients'
listener of the bad one. Kafka may miss its heartbeats for two minutes before it moves partitions:
so this is a broker that its cluster takes for healthy, as one with a failing disk or a slow network
often is. A broker that its cluster gives up is replaced by Kafka itself.

Made by ``run``. What the embedded Kafka does already is taken from there.
"""

import os
import signal
import subprocess
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from bench.brokers.plan import BAD, BROKERS
from console.embedded.broker_files import (
    LOOPBACK,
    broker_properties,
    cluster_id,
    java_command,
)
from console.embedded.instance import STOP_GRACE_S, Instance
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.embedded.ports import choose_ports
from console.embedded.readiness import answers, wait_until_ready
from console.errors import Failure
from console.tethered_process import TetheredProcess

_START_S: Final = 90.0
_STOP_S: Final = 90.0
"""Kafka has no limit: it goes when others lead all that it led."""
_UNHEARD_MS: Final = 120_000


class Cluster:
    """The brokers, running while the ``with`` block does.

    Args:
        home: For their files; empty.
        public: Where clients find each broker, if that is not where it listens.
        unheard_ms: How long its cluster may miss a broker before it moves partitions.
    """

    def __init__(self, home: Path, public: dict[str, int], unheard_ms: int = _UNHEARD_MS) -> None:
        self._home, self._unheard_ms = home, unheard_ms
        self.names = [str(number + 1) for number in range(BROKERS)]
        ports = iter(choose_ports(3 * BROKERS))
        self._listens = dict(zip(self.names, ports, strict=False))
        self._between = dict(zip(self.names, ports, strict=False))
        self._quorum = dict(zip(self.names, ports, strict=False))
        self._public = self._listens | public
        self._processes: dict[str, TetheredProcess] = {}
        self._running = ExitStack()

    @property
    def servers(self) -> str:
        """Where the good brokers are: a client finds the bad one by itself."""
        return ",".join(f"{LOOPBACK}:{port}" for name, port in self._public.items() if name != BAD)

    def port(self, name: str) -> int:
        """Where a broker listens to clients."""
        return self._listens[name]

    def freeze(self, name: str) -> None:
        """Let a broker hang: its connections stay, and nobody answers."""
        os.killpg(self._processes[name].pid, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let it go on, as if nothing had happened."""
        os.killpg(self._processes[name].pid, signal.SIGCONT)

    def restart(self, name: str) -> None:
        """Stop a broker, which gives its partitions' lead away first, and start it again."""
        process = self._processes[name]
        os.kill(process.pid, signal.SIGTERM)
        process.wait(_STOP_S)
        self._start(name)
        self._await(name)

    def __enter__(self) -> Self:
        named = cluster_id(uuid.uuid4())
        try:
            for name in self.names:
                self._format(name, named)
                self._start(name)
            for name in self.names:
                self._await(name)
        except BaseException:
            self._running.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name, process in self._processes.items():
            if process.poll() is None:
                self.thaw(name)
        self._running.close()

    def _instance(self, name: str) -> Instance:
        return Instance(self._home / f"broker-{name}")

    def _java(self, name: str) -> list[str | Path]:
        it = self._instance(name)
        return java_command(find_java(), JarCache.default().kafka, logs=it.logs, tmp=it.tmp)

    def _format(self, name: str, named: str) -> None:
        instance = self._instance(name)
        instance.prepare()
        instance.properties.write_text(self._properties(name))
        form = ["format", "--cluster-id", named, "--config", str(instance.properties)]
        tool: list[str | Path] = [*self._java(name), "kafka.tools.StorageTool", *form]
        subprocess.run(tool, cwd=instance.directory, check=True, capture_output=True)

    def _start(self, name: str) -> None:
        instance = self._instance(name)
        output = self._running.enter_context(instance.output.open("ab"))
        process = TetheredProcess(
            [*self._java(name), "kafka.Kafka", instance.properties],
            output=output,
            cwd=instance.directory,
            grace_s=STOP_GRACE_S,
        )
        self._processes[name] = process
        self._running.callback(process.stop)

    def _await(self, name: str) -> None:
        process, servers = self._processes[name], f"{LOOPBACK}:{self._listens[name]}"
        ready = wait_until_ready(servers, alive=lambda: process.poll() is None, timeout_s=_START_S)
        if not ready or not answers(servers, within_s=_START_S):
            raise Failure(
                f"broker {name} did not start; its log ends:",
                details=self._instance(name).last_lines(),
            )

    def _properties(self, name: str) -> str:
        """The embedded broker's, and what is different of three; of two values the last counts."""
        voters = ",".join(f"{it}@{LOOPBACK}:{port}" for it, port in self._quorum.items())
        bound = {"BROKER": self._between[name], "CLIENT": self._listens[name]}
        listeners = {**bound, "CONTROLLER": self._quorum[name]}
        advertised = {**bound, "CLIENT": self._public[name]}
        protocols = "BROKER:PLAINTEXT,CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT"
        different = {
            "node.id": name,
            "broker.rack": rack_of(name),
            "listeners": _listed(listeners),
            "advertised.listeners": _listed(advertised),
            "listener.security.protocol.map": protocols,
            "controller.quorum.voters": voters,
            "broker.session.timeout.ms": str(self._unheard_ms),
        }
        embedded = broker_properties(port=self._listens[name], controller_port=self._quorum[name])
        return embedded + "".join(f"{key}={value}\n" for key, value in different.items())


def rack_of(name: str) -> str:
    """Return where a broker stands: each in a rack of its own."""
    return f"rack-{name}"


def _listed(listeners: dict[str, int]) -> str:
    return ",".join(f"{name}://{LOOPBACK}:{port}" for name, port in listeners.items())
