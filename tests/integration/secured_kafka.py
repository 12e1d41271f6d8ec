"""A broker with listeners for all four security protocols, users with passwords, and ACLs.

    with SecuredKafka(home) as kafka:
        kafka.user("ann", "a password")
        kafka.allow("ann", "Write", "t.members")
        Member(kafka.servers("SASL_SSL"), kafka=kafka.options("SASL_SSL", "ann", "a password"), ...)

Whoever comes by PLAINTEXT or SSL is User:ANONYMOUS, who may do everything: the tests' own hand, and
the broker's. All others may do what they were allowed.
"""

import re
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from console.embedded.broker_files import LOOPBACK, broker_properties, cluster_id, java_command
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.embedded.ports import choose_ports
from console.embedded.readiness import wait_until_ready
from console.tethered_process import TetheredProcess

R = TypeVar("R")

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISM = "SCRAM-SHA-512"
PATIENCE_S = 60.0
LOOK_S = 0.02
_SASL = ("sasl_plaintext", "sasl_ssl")
_LOGIN = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_STORE_PASSWORD = "of the key store"


class SecuredKafka:
    """One broker, in a directory of its own."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._java = find_java()
        controller, *ports = choose_ports(1 + len(PROTOCOLS))
        self._controller = controller
        self._ports = dict(zip(PROTOCOLS, ports, strict=True))
        self._process: TetheredProcess | None = None
        self.authority = home / "authority.pem"
        """The certificate that clients have to trust."""

    def servers(self, protocol: str) -> str:
        """What clients of a protocol connect to."""
        return f"localhost:{self._ports[protocol]}"

    def options(self, protocol: str, user: str, password: str) -> dict[str, object]:
        """What confluent-kafka has to be told."""
        options: dict[str, object] = {"security.protocol": protocol, "log_level": 2}
        if protocol.endswith("SSL"):
            options["ssl.ca.location"] = str(self.authority)
        if protocol.startswith("SASL"):
            options |= {
                "sasl.mechanism": MECHANISM,
                "sasl.username": user,
                "sasl.password": password,
            }
        return options

    def options_of_kafka_python(self, protocol: str, user: str, password: str) -> dict[str, object]:
        """What kafka-python has to be told."""
        names = {
            "ssl.ca.location": "ssl_cafile",
            "sasl.username": "sasl_plain_username",
            "sasl.password": "sasl_plain_password",
        }
        told = self.options(protocol, user, password)
        del told["log_level"]
        return {names.get(it, it.replace(".", "_")): value for it, value in told.items()}

    def user(self, name: str, password: str) -> None:
        """Make a user."""
        scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        wanted = UserScramCredentialUpsertion(name, scram, password.encode())
        admin = self.admin()
        for done in admin.alter_user_scram_credentials([wanted]).values():
            done.result(PATIENCE_S)

    def allow(
        self, user: str, operation: str, name: str, *, kind: str = "topic", prefixed: bool = False
    ) -> None:
        """Give a user a right; it holds when this returns.

        Kafka answers when it is recorded, and the broker reads the record a moment later, in the
        order of the records: so a user that was made before is known then as well.
        """
        rule = _rule(AclBinding, user, operation, name, kind, prefixed)
        admin = self.admin()
        for done in admin.create_acls([rule]).values():
            done.result(PATIENCE_S)
        known = _rule(AclBindingFilter, user, operation, name, kind, prefixed)
        for _ in range(int(PATIENCE_S / LOOK_S)):
            if admin.describe_acls(known).result(PATIENCE_S):
                return
            time.sleep(LOOK_S)
        message = f"the broker does not know what {user} may do"
        raise AssertionError(message)

    def forbid(
        self, user: str, operation: str, name: str, *, kind: str = "topic", prefixed: bool = False
    ) -> None:
        """Take a right away again."""
        rule = _rule(AclBindingFilter, user, operation, name, kind, prefixed)
        admin = self.admin()
        for done in admin.delete_acls([rule]).values():
            done.result(PATIENCE_S)

    def admin(self) -> AdminClient:
        """A client that may do everything."""
        return AdminClient({"bootstrap.servers": self.servers("PLAINTEXT"), "log_level": 2})

    def __enter__(self) -> Self:
        self._home.mkdir(parents=True, exist_ok=True)
        for name in ("data", "logs", "tmp"):
            (self._home / name).mkdir()
        self._make_certificate()
        properties = self._home / "server.properties"
        properties.write_text(self._properties())
        jars = JarCache.default()
        jars.fetch()
        java = java_command(
            self._java, jars.kafka, logs=self._home / "logs", tmp=self._home / "tmp"
        )
        identity: list[str | Path] = [
            "--cluster-id",
            cluster_id(uuid.uuid4()),
            "--config",
            properties,
        ]
        storage: list[str | Path] = [*java, "kafka.tools.StorageTool", "format", *identity]
        subprocess.run(storage, cwd=self._home, check=True, capture_output=True)
        with (self._home / "output.log").open("wb") as output:
            command = [*java, "kafka.Kafka", properties]
            self._process = TetheredProcess(command, output=output, cwd=self._home, grace_s=15)
        alive = self._process.poll
        assert wait_until_ready(
            self.servers("PLAINTEXT"), alive=lambda: alive() is None, timeout_s=PATIENCE_S
        ), (self._home / "logs" / "broker.log").read_text()[-4_000:]
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.stop()

    def _properties(self) -> str:
        """Those of the embedded broker, with more listeners."""
        plain = broker_properties(port=self._ports["PLAINTEXT"], controller_port=self._controller)
        known = dict(line.split("=", 1) for line in plain.splitlines())
        listeners = ",".join(f"{it}://{LOOPBACK}:{port}" for it, port in self._ports.items())
        advertised = ",".join(f"{it}://localhost:{port}" for it, port in self._ports.items())
        wanted = known | {
            "listeners": f"{listeners},CONTROLLER://{LOOPBACK}:{self._controller}",
            "advertised.listeners": advertised,
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.security.protocol.map": ",".join(
                ["CONTROLLER:PLAINTEXT", *(f"{it}:{it}" for it in PROTOCOLS)]
            ),
            "sasl.enabled.mechanisms": MECHANISM,
            **{f"listener.name.{it}.{MECHANISM.lower()}.sasl.jaas.config": _LOGIN for it in _SASL},
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": "broker.p12",
            "ssl.keystore.password": _STORE_PASSWORD,
            "ssl.key.password": _STORE_PASSWORD,
        }
        return "".join(f"{key}={value}\n" for key, value in wanted.items())

    def _make_certificate(self) -> None:
        """A key pair for "localhost", and its certificate for those who are to trust it."""
        keytool = [str(self._java.with_name("keytool")), "-J-XX:TieredStopAtLevel=1"]
        store: list[str | Path] = [
            "-keystore",
            "broker.p12",
            "-storepass",
            _STORE_PASSWORD,
            "-alias",
            "broker",
        ]
        pair = ["-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost"]
        extras = ["-ext", "san=dns:localhost,ip:127.0.0.1", "-ext", "bc:critical=ca:true"]
        commands: list[list[str | Path]] = [
            [*pair, *extras, "-storetype", "PKCS12", "-validity", "2"],
            ["-exportcert", "-rfc", "-file", self.authority],
        ]
        for command in commands:
            subprocess.run(
                [*keytool, *command, *store], cwd=self._home, check=True, capture_output=True
            )


def _rule(
    make: Callable[..., R],
    user: str,
    operation: str,
    name: str,
    kind: str,
    prefixed: bool,  # noqa: FBT001 - private
) -> R:
    return make(
        ResourceType[kind.upper()],
        name,
        ResourcePatternType.PREFIXED if prefixed else ResourcePatternType.LITERAL,
        f"User:{user}",
        "*",
        AclOperation[re.sub("(?<!^)(?=[A-Z])", "_", operation).upper()],
        AclPermissionType.ALLOW,
    )
