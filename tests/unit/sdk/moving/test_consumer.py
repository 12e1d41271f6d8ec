"""What a consumer on both sides does not take, and how it tells of what changes."""

import asyncio
import threading
import time

import pytest

from trimtab import AsyncMovingConsumer, ConfigurationError, Grant, MovingConsumer
from trimtab.consuming.choice import Told
from trimtab.moving.reader import one_at_a_time

BOTH = (MovingConsumer, AsyncMovingConsumer)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"mode": "broadcasting"}, "mode: broadcasting: on Kafka's side each queue has one owner"),
        ({"fencing": "transactional"}, "fencing: while a group moves"),
        ({"client": "kafka-python"}, "client: "),
    ],
)
def test_what_cannot_move_is_refused(
    kind: type[MovingConsumer | AsyncMovingConsumer], options: dict[str, str], text: str
) -> None:
    """At once, by the name of the option."""
    with pytest.raises(ConfigurationError) as refused:
        kind("127.0.0.1:1", group="billing", topics=["orders"], **options)  # type: ignore[arg-type]  # strings

    assert str(refused.value).startswith(text)


def test_its_topics_stay() -> None:
    """On both sides they are the same."""
    kafka = {"log_level": 0}
    one = MovingConsumer("127.0.0.1:1", group="billing", topics=["orders"], kafka=kafka)
    other = AsyncMovingConsumer("127.0.0.1:1", group="billing", topics=["orders"], kafka=kafka)

    with pytest.raises(ConfigurationError, match="make another one"):
        one.subscribe(["others"])
    with pytest.raises(ConfigurationError, match="make another one"):
        asyncio.run(other.subscribe(["others"]))


def test_the_application_hears_of_one_change_after_the_other() -> None:
    """Both sides may change something at a time, and its callbacks need no lock."""
    heard: list[str] = []

    def hear(_: tuple[Grant, ...]) -> None:
        heard.append("begins")
        time.sleep(0.01)
        heard.append("ends")

    told = one_at_a_time(Told(hear, hear, hear, bool, bool))
    threads = [
        threading.Thread(target=tell, args=((),))
        for tell in (told.assigned, told.revoked, told.lost)
    ]
    for it in threads:
        it.start()
    for it in threads:
        it.join()

    assert ["begins", "ends"] * 3 == heard
