"""A process of the demo: produces orders at a steady pace until it is told to stop.

`python -m console.demo.producer`; started by ``stage``. Every queue gets its share in turn. Its
journal names each message that Kafka has acknowledged: those, and no others, must be processed.
"""

import argparse
import itertools
import signal
import time
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer

from console.demo.journal import JournalWriter, Produced, now


def produce(
    bootstrap_servers: str, topic: str, *, queues: int, rate: float, journal: JournalWriter
) -> None:
    """Produce until SIGTERM, then wait for what is on its way."""

    def acknowledged(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            raise RuntimeError(f"a message could not be produced: {error}")
        journal.note(Produced(now(), message.partition() or 0, message.offset() or 0))

    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            # Neither lost nor written twice: what is counted must be the consumers' doing.
            "enable.idempotence": True,
            "linger.ms": 5,
        }
    )
    due = time.monotonic()
    for number in itertools.count():
        time.sleep(max(0.0, due - time.monotonic()))
        if stopped:
            break
        producer.produce(topic, f"order {number}", partition=number % queues, callback=acknowledged)
        producer.poll(0)
        due += 1 / rate
    producer.flush()


def main() -> None:
    """Read the arguments and produce."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--queues", required=True, type=int)
    parser.add_argument("--rate", required=True, type=float, help="messages a second")
    parser.add_argument("--journal", required=True, type=Path)
    options = parser.parse_args()
    with JournalWriter(options.journal) as journal:
        produce(
            options.bootstrap_servers,
            options.topic,
            queues=options.queues,
            rate=options.rate,
            journal=journal,
        )


if __name__ == "__main__":
    main()
