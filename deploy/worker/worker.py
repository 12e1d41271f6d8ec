"""A worker to start from: it reads its share of a topic, and works on one message after the other.

Where Kafka is, the group and the topic come from the manifest. Your work replaces the last line.
"""

import os

from trimtab import Consumer

with Consumer(
    os.environ["KAFKA_BOOTSTRAP_SERVERS"],
    group=os.environ["GROUP"],
    topics=[os.environ["TOPIC"]],
) as consumer:
    for message in consumer:
        print(message.value(), flush=True)
