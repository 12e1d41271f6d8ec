"""An installation kept as files: a checkpoint, and all that its topics held when it was killed.

    python -m tests.integration.controller.kept_installation first

keeps one of this build as `tests/fixtures/installations/first.tar.xz`. It is read for ever: a later
build adds another file, and changes none. Topics are kept as records, because Kafka's own files
name a cluster, ports and times at which they are deleted. They are written again in the order in
which they came, so each has the offset it had.
"""

import base64
import io
import json
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from console.settings import load
from console.wiring import options
from streaming.startup.losses import looking_trouble, survey
from tests.builders.checkout import ROOT
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS, create_control_topics, create_topic
from trimtab import Member
from trimtab.protocol import COMMANDS, Pause, encode, partition_of, topic_specs

KEPT: Final = ROOT / "tests" / "fixtures" / "installations"
PREFIX: Final = "kept."
TOPIC: Final = "kept-orders"
QUEUES: Final = 8
WORKING: Final = "kept-working"
PAUSED: Final = "kept-paused"
MEMBERS: Final = ("a", "b")
_CHECKPOINT: Final = "checkpoint"
_RECORDS: Final = "records.jsonl"
_LIVES_S: Final = 5.0
_PATIENCE_S: Final = 30.0


def keep(name: str) -> None:
    """Have two groups live for a moment, one of them paused, kill the controller, and keep all."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        kafka = stack.enter_context(EmbeddedKafka(home / "kafka", port=0))
        servers = kafka.bootstrap_servers
        create_topic(servers, TOPIC, QUEUES)
        controller = ControllerProcess(home, servers, PREFIX)
        stack.callback(controller.kill)
        controller.start()
        published = stack.enter_context(closing(Published(servers, PREFIX)))
        for group in (WORKING, PAUSED):
            for member in MEMBERS:
                stack.enter_context(joined(servers, group, member))
            published.wait_until(partial(published.is_stable, group, MEMBERS, QUEUES))
        _pause(servers)
        published.wait_until(lambda: {"p1": "done"} == published.answers(PAUSED))
        published.watch(_LIVES_S)
        controller.kill()
        KEPT.mkdir(parents=True, exist_ok=True)
        with tarfile.open(KEPT / f"{name}.tar.xz", "w:xz") as archive:
            archive.add(home / _CHECKPOINT, _CHECKPOINT)
            lines = "\n".join(json.dumps(it) for it in _records(servers)).encode()
            entry = tarfile.TarInfo(_RECORDS)
            entry.size = len(lines)
            archive.addfile(entry, io.BytesIO(lines))


def joined(servers: str, group: str, member: str) -> Member:
    """Make a member of one of its groups."""
    return Member(servers, prefix=PREFIX, group=group, topics=[TOPIC], member_id=member)


def restore(name: str, home: Path, servers: str) -> int:
    """Put it back, on another Kafka; return the last batch that was committed."""
    with tarfile.open(KEPT / f"{name}.tar.xz") as archive:
        archive.extractall(home, filter="data")
    create_control_topics(servers, PREFIX, PARTITIONS)
    create_topic(servers, TOPIC, QUEUES)
    _write(servers, (home / _RECORDS).read_text().splitlines())
    _move(home, servers)
    commits = home / _CHECKPOINT / "commits"
    return max(int(it.name) for it in commits.iterdir() if it.name.isdecimal())


def _pause(servers: str) -> None:
    with closing(Producer({"bootstrap.servers": servers})) as producer:
        pause = encode(Pause(id="p1", principal="ann", reason="kept"))
        place = f"{PREFIX}{COMMANDS.name}", pause, PAUSED.encode()
        producer.produce(*place, partition=partition_of(PAUSED, PARTITIONS))
        assert 0 == producer.flush(_PATIENCE_S)


def _records(servers: str) -> Iterator[dict[str, Any]]:
    """All records of all topics, in the order in which they came."""
    found = list[tuple[int, dict[str, Any]]]()
    with closing(Consumer({"bootstrap.servers": servers, "group.id": "keeping"})) as consumer:
        for spec in topic_specs(PREFIX, PARTITIONS):
            for partition in range(spec.partitions):
                place = TopicPartition(spec.name, partition, 0)
                consumer.assign([place])
                _, end = consumer.get_watermark_offsets(place, _PATIENCE_S)
                for offset in range(end):
                    message = consumer.poll(_PATIENCE_S)
                    assert message is not None, f"{spec.name}/{partition}@{offset} is not there"
                    assert (message.error(), message.offset()) == (None, offset)
                    key, value = _text(message.key()), _text(message.value())
                    record = {"topic": spec.name, "partition": partition, "offset": offset}
                    found.append((message.timestamp()[1], {**record, "key": key, "value": value}))
    return (record for _, record in sorted(found, key=lambda it: it[0]))


def _write(servers: str, lines: list[str]) -> None:
    """Write them, and see that each has the offset it had."""
    found: dict[tuple[str, int], list[int]] = {}
    with closing(Producer({"bootstrap.servers": servers})) as producer:
        for line in lines:
            it = json.loads(line)
            place, key, value = (it["topic"], it["partition"]), _data(it["key"]), _data(it["value"])
            producer.produce(it["topic"], value, key, it["partition"])
            found.setdefault(place, []).append(it["offset"])
        assert 0 == producer.flush(_PATIENCE_S)
    for place, offsets in found.items():
        assert offsets == list(range(len(offsets))), place


def _move(home: Path, servers: str) -> None:
    """Have its terms name this Kafka, and the ids of the topics here; nothing else."""
    settings = load(key_values=[f"topics.prefix={PREFIX}", f"topics.partitions={PARTITIONS}"])
    shelf = survey(
        options(settings.settings, bootstrap_servers=servers, jars=Path()), looking_trouble()
    )
    terms = home / _CHECKPOINT / "trimtab.json"
    told = {**json.loads(terms.read_text()), "cluster": shelf.cluster, "topics": shelf.topics}
    terms.with_name(f".{terms.name}.crc").unlink(missing_ok=True)
    terms.write_text(json.dumps(told))


def _text(data: bytes | str | None) -> str | None:
    assert not isinstance(data, str)
    return None if data is None else base64.b64encode(data).decode()


def _data(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


if __name__ == "__main__":
    began = time.monotonic()
    keep(sys.argv[1])
    print(f"kept in {KEPT} in {time.monotonic() - began:.0f} s")  # noqa: T201 - for who runs it
