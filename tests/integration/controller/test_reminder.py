"""What is published is read back at a start, and has to be where it belongs."""

import json
from pathlib import Path
from threading import Event

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from console.settings import load
from console.wiring import options
from streaming.options import Options
from streaming.startup.delivery import StartWriter
from streaming.startup.reading import Misplaced, reading_trouble
from streaming.startup.reminder import locate, remind
from streaming.startup.takeover import new_start
from tests.builders.command_line import Run
from tests.integration.topics import PARTITIONS
from trimtab.protocol import GROUPS, Group, partition_of

pytestmark = pytest.mark.kafka

GROUP = b"billing"


@pytest.fixture
def chosen(kafka: EmbeddedKafka, run: Run, tmp_path: Path) -> Options:
    """The options of a controller on topics of its own."""
    del run  # has made them
    return options(load().settings, bootstrap_servers=kafka.bootstrap_servers, jars=tmp_path)


def publish(chosen: Options, partition: int, value: bytes | None) -> None:
    """Publish a group's summary, wherever it belongs."""
    producer = Producer({"bootstrap.servers": chosen.kafka.bootstrap_servers})
    producer.produce(f"{chosen.topics.prefix}{GROUPS.name}", value, GROUP, partition)
    assert 0 == producer.flush(10)


def test_a_group_in_another_partition_is_refused(chosen: Options) -> None:
    """Its members follow that one: it was published when topics had fewer partitions."""
    home = partition_of(GROUP, PARTITIONS)
    (example,) = Group.model_json_schema()["examples"]
    summary = json.dumps(example).encode()
    publish(chosen, home, summary)
    remind(chosen, new_start(), StartWriter(chosen, Event()), Event(), reading_trouble())

    publish(chosen, 1 - home, summary)
    found = rf"group billing is published in partition {1 - home} "
    with pytest.raises(Misplaced, match=found):
        locate(chosen, Event())  # before another controller is relieved
    with pytest.raises(Misplaced, match=found):
        remind(chosen, new_start(), StartWriter(chosen, Event()), Event(), reading_trouble())

    publish(chosen, 1 - home, None)
    remind(chosen, new_start(), StartWriter(chosen, Event()), Event(), reading_trouble())
