"""The rules of the brokers' hook: which clients it hears, who is gone, and who is two."""

import pytest

from tests.integration.java_programs import answered, java

pytestmark = pytest.mark.slow


def play(*lines: str) -> list[str]:
    """What the hook answers to these, in order."""
    return answered([*java("rocketmq.broker.HookRules", hook={}), "billing"], lines)


def test_an_end_that_kafka_never_took_is_forgotten() -> None:
    """Or each heartbeat of a client that has come back would be copied again, and its copies."""
    told = play("gone a 1000", "ending a 2000", "ending b 2000", "ending a 17000")

    assert ["gone", "true", "false", "false"] == told


def test_the_last_broker_that_hears_a_client_ends_it() -> None:
    """One that others hear is not gone; who has not heard it for 120 s does not count."""
    told = play(
        "heard x broker-a 0",
        "heard x broker-b 0",
        "lost x broker-a 1000",
        "lost x broker-b 1001",
        "heard y broker-a 0",
        "heard y broker-b 50000",
        "lost y broker-b 120000",
        "heard y broker-b 120001",
        "lost y broker-b 120002",
        "lost z broker-a 0",
    )

    assert ["false", "true"] == told[2:4]
    assert ["false", "true", "true"] == [told[it] for it in (6, 8, 9)]


def test_made_up_names_fill_no_broker() -> None:
    """Who comes when there is no room, or has no name, is not looked after; the others are."""
    turns = [(name, port) for port in (1, 2, 1) for name in ("known", "x" * 256)]
    told = play(
        *(f"speaks {name} a:{port} 0" for name, port in turns),
        *(f"speaks c{number} a:1 0" for number in range(100_000)),
        *(f"speaks late a:{port} 0" for port in (1, 2, 1)),
        "speaks known a:2 0",
    )

    assert ["false"] * 4 + ["true", "false"] == told[:6]
    assert [*["false"] * 3, "true"] == told[-4:]


def test_made_up_clients_fill_no_broker_and_end_nobody() -> None:
    """Whom it cannot remember it takes for one that others hear: its silence will tell."""
    told = play(
        "heard known broker-a 0",
        f"heard {'x' * 256} broker-a 0",
        f"lost {'x' * 256} broker-b 0",
        *(f"heard c{number} broker-a 0" for number in range(100_000)),
        "heard late broker-a 0",
        "lost late broker-a 1",
        "lost known broker-a 1",
    )

    assert "true" == told[2]  # nobody was noted as hearing it
    assert ["heard", "false", "true"] == told[-3:]


def test_two_processes_speak_by_turns_from_two_addresses() -> None:
    """One that connects again, however often, is one; what was found is forgotten in time."""
    once = [f"speaks x a:{port} {port}" for port in range(5) for _ in range(2)]
    both = play(*once, "speaks x b:9 10", "speaks x a:4 11", "speaks x a:4 12", "speaks x a:4 140")

    assert ["false"] * 11 == both[:11]
    assert ["true", "true", "false"] == both[11:]
    assert ["false"] * 2 == play("speaks x a:1 0", "speaks x b:1 1")
