"""What a broker's hook does when its settings are wrong, or something breaks in it."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.rocketmq.programs import FIVE
from console.embedded.ports import choose_port
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import BUILT, answered, java

pytestmark = pytest.mark.slow


def play(*lines: str, **settings: str) -> list[str]:
    """What the hook answers to these, in order, with these settings."""
    return answered([*java("rocketmq.broker.HookRules", FIVE, hook=settings), "billing"], lines)


def logged(home: Path, *lines: str, **settings: str) -> tuple[list[str], list[str]]:
    """What the hook answers to these, and what is in the broker's log of it then."""
    program, *rest = java("rocketmq.broker.HookRules", FIVE, hook=settings)
    told = answered([program, f"-Duser.home={home}", *rest, "billing"], lines)
    log = (home / "logs" / "rocketmqlogs" / "broker.log").read_text(errors="replace")
    return told, [it for it in log.splitlines() if "trimtab: " in it]


@pytest.mark.parametrize("patience", ["11", "0", "-1", "", "a minute"])
def test_a_patience_that_is_too_short_is_refused_by_name(patience: str) -> None:
    """A controller says something each five seconds; owners would change with each word."""
    must = "trimtab.patience must be a number of seconds, 12 at least"

    assert [f'{must}, and is "{patience}"'] == play("settings", patience=patience)
    assert ["good"] == play("settings", patience="12")


def test_an_error_ends_no_thread_of_the_hook(tmp_path: Path) -> None:
    """Or a broker would copy no heartbeat any more, or deal by itself, until it is restarted."""
    told, said = logged(tmp_path, "breaks", kafka="127.0.0.1:1")

    assert ["true"] == told
    assert "NoClassDefFoundError: played" in said[0]


@pytest.mark.parametrize(("between", "are_two"), [("question", "false"), ("heartbeat", "true")])
def test_one_that_asks_over_a_channel_of_its_own_is_not_two(between: str, are_two: str) -> None:
    """With `vipChannelEnabled` a client has two addresses: one for heartbeats, one for the rest."""
    lines = ("says heartbeat a:1", f"says {between} a:2", "says heartbeat a:1")

    assert are_two == play(*lines, kafka="127.0.0.1:1", groups="billing")[-1]


def test_one_that_has_closed_its_former_channel_is_not_two() -> None:
    """A broker that stood still may take up what it said there after what it says now."""
    asked = ("channels 2 0", "channels 1 0", "channels 1 1", "channels 1 2")

    assert ["true", *["false"] * 3] == play(*asked)


def test_a_client_that_leaves_waits_for_no_channel_that_was_cut() -> None:
    """Its broker has that for two minutes more. Another process says something each 30 s."""
    asked = ("hears a open 59", "hears a open 60", "hears a closed 0", "hears b open 0")

    assert ["true", *["false"] * 3] == play(*asked)


@pytest.mark.parametrize("option", ["request.timeout.ms=30000", "max.block.ms=60000"])
def test_a_heartbeat_is_copied_in_vain_until_kafka_has_it(tmp_path: Path, option: str) -> None:
    """A producer whose thread is dead says nothing; and there is one, whatever all clients get."""
    options = tmp_path / "options"
    options.write_text(f"{option}\n")
    settings = {"groups": "billing", "kafka.options": str(options)}

    assert ["true"] == play("unanswered", kafka="127.0.0.1:1", **settings)


@pytest.mark.parametrize("said", ["heartbeat", "again", "end", "lost"])
def test_what_has_waited_long_is_not_copied(said: str) -> None:
    """Its client may be dead by now, or have come back, and the controller would not know."""
    lines = (f"waited {said} 30", f"waited {said} 31")

    assert ["true", "false"] == play(*lines, kafka="127.0.0.1:1", groups="billing")


def test_a_trust_store_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Kafka's client says that it could not be made, and why only in what is behind that."""
    options, store = tmp_path / "options", tmp_path / "nowhere.jks"
    options.write_text(f"security.protocol=SSL\nssl.truststore.location={store}\n")

    _, said = logged(tmp_path, "breaks", kafka="127.0.0.1:1", **{"kafka.options": str(options)})

    assert f"Failed to load SSL keystore {store} of type JKS" in said[0]
    assert f"NoSuchFileException: {store}" in said[0]


def began(home: Path, path: Sequence[Path | str], **settings: str) -> tuple[list[str], str]:
    """What a broker says with this class path, by its first messages, and what is in its log."""
    command = java("RocketServer", FIVE, hook=settings)
    command[command.index("-cp") + 1] = os.pathsep.join(map(str, path))
    with JavaProcess(home, [*command, str(home), str(choose_port(0)), "Bare"]) as server:
        for order in ("topic any 1", "send any", "expire any 1"):
            server.tell(order)
        server.wait_for("expired")
        said = server.lines()
    logs = home.rglob("broker*.log")
    return said, "".join(it.read_text(errors="replace") for it in logs)


def test_a_broker_whose_hook_lacks_its_libraries_starts_without_it(tmp_path: Path) -> None:
    """Somebody has copied one jar of the three; the broker's log says which are missing."""
    places = [BUILT / name / "classes" for name in ("trimtab-rocketmq-broker", "trimtab-checks")]
    path = [*places, BUILT / "lib" / FIVE / "*"]

    _, log = began(tmp_path / "server", path, kafka="127.0.0.1:1")

    assert "trimtab-core or kafka-clients is not in the lib folder" in log


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_broker_works_with_our_hook_and_with_yours(tmp_path: Path, place: str) -> None:
    """By itself it reads one of the two files that name them, and says nothing of the other."""
    named = tmp_path / "yours" / "META-INF" / "service" / "org.apache.rocketmq.remoting.RPCHook"
    named.parent.mkdir(parents=True)
    named.write_text("trimtab.checks.Auditing\n")
    command = java("RocketServer", FIVE, hook={})
    path: list[Path | str] = [command[command.index("-cp") + 1]]
    path.insert(0 if place == "first" else 1, tmp_path / "yours")

    said, log = began(tmp_path / "server", path, kafka="127.0.0.1:1")

    assert 1 == said.count("audits")
    assert 1 == log.count("trimtab: the hook is loaded, and follows the controller of 127.0.0.1:1")


def test_hooks_that_a_broker_does_not_load_are_told(tmp_path: Path) -> None:
    """Ours cannot load them: it knows no broker, because another plug-in has taken that place."""
    yours = tmp_path / "yours" / "META-INF" / "service"
    yours.mkdir(parents=True)
    (yours / "org.apache.rocketmq.remoting.RPCHook").write_text("trimtab.checks.Auditing\n")
    program, option, *rest = [*java("rocketmq.broker.HookRules", FIVE, hook={})]
    at = rest.index("-cp") + 1
    rest[at] = os.pathsep.join((rest[at], str(tmp_path / "yours")))

    answered([program, f"-Duser.home={tmp_path}", option, *rest, "billing"], ["says question a:1"])

    log = (tmp_path / "logs" / "rocketmqlogs" / "broker.log").read_text(errors="replace")
    assert "name all of them in one file: trimtab.checks.Auditing" in log
