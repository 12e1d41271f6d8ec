"""Where the partitions of a topic stand, by what Kafka says of its brokers."""

from collections.abc import Mapping

from confluent_kafka import Node, TopicPartitionInfo

from streaming.feeds.kafka_racks import Racks
from trimtab.protocol import RackRef, limits

ALL = {1: "east", 2: "west", 3: None, 4: "north"}


def topic(
    *replicas: tuple[int, ...], up: Mapping[int, str | None] = ALL
) -> list[TopicPartitionInfo]:
    """Partitions with replicas on these brokers; who is down has neither host nor rack."""
    nodes = {
        number: Node(number, "host" if number in up else "", 9092, up.get(number)) for number in ALL
    }
    return [
        TopicPartitionInfo(number, nodes[those[0]], [nodes[it] for it in those], [])
        for number, those in enumerate(replicas)
    ]


def test_neighbours_that_stand_alike_are_told_together() -> None:
    """The order of the replicas says nothing about racks; a broker without one adds none."""
    found = Racks().of(topic((1, 2), (2, 1), (1, 3), (3,), (2, 1)))
    both = ("east", "west")

    assert (RackRef(both, 0, 2), RackRef(("east",), 2, 1), RackRef(both, 4, 1)) == found
    assert () == Racks().of(topic((3,), (3,)))


def test_a_broker_that_is_down_stands_where_it_stood() -> None:
    """So its restart moves nothing. One that nobody has seen may stand anywhere."""
    racks = Racks()
    before = racks.of(topic((1, 2)))
    down = topic((1, 2), up={1: "east"})

    assert before == racks.of(down)
    assert racks.of(topic((4, 1), up={1: "east"})) is None


def test_what_no_record_could_say_is_not_said() -> None:
    """A topic that has no order at all is told without racks."""
    alternating = [(1,), (2,)] * (limits.RACK_RUNS_PER_ROUTE // 2)
    racks = Racks()

    assert limits.RACK_RUNS_PER_ROUTE == len(racks.of(topic(*alternating)) or ())
    assert () == racks.of(topic(*alternating, (1,)))
    for rack in ("x" * 256, "a\nb"):
        assert () == Racks().of(topic((1,), up={1: rack}))
