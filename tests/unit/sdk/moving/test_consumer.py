"""What a consumer on both sides does not take."""

import pytest

from trimtab import ConfigurationError, MovingConsumer


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"mode": "broadcasting"}, "mode: broadcasting: on Kafka's side each queue has one owner"),
        ({"fencing": "transactional"}, "fencing: while a group moves"),
        ({"client": "kafka-python"}, "client: "),
    ],
)
def test_what_cannot_move_is_refused(options: dict[str, str], text: str) -> None:
    """At once, by the name of the option."""
    with pytest.raises(ConfigurationError) as refused:
        MovingConsumer("127.0.0.1:1", group="billing", topics=["orders"], **options)  # type: ignore[arg-type]  # strings

    assert str(refused.value).startswith(text)


def test_its_topics_stay() -> None:
    """On both sides they are the same."""
    consumer = MovingConsumer(
        "127.0.0.1:1", group="billing", topics=["orders"], kafka={"log_level": 0}
    )

    with pytest.raises(ConfigurationError, match="make another one"):
        consumer.subscribe(["others"])
