"""Commits that are given up while a Kafka that hung comes back.

A process of its own: librdkafka may end it.
"""

import os
import random
import signal
import sys
import time
from typing import Final

from tests.builders.sessions import queue
from tests.integration.broken_kafka import hung
from trimtab.consuming.confluent_writer import ConfluentWriter
from trimtab.consuming.contract import Wish

SERVERS, BROKER = sys.argv[1], int(sys.argv[2])
PATIENCE_S: Final = 0.5
COMMITS: Final = 24
APART_S: Final = 0.03
ROUNDS: Final = 8


def give_up(chosen: random.Random) -> None:
    """Let Kafka come back some time while the patience of one commit after the other ends."""
    sent = []
    with hung(BROKER):
        for _ in range(COMMITS):
            writer = ConfluentWriter(Wish(SERVERS, "giving-up", {}, {}, PATIENCE_S))
            sent.append((writer, writer.write({queue(): (1, "")}), time.monotonic() + PATIENCE_S))
            time.sleep(chosen.random() * APART_S)
        back = sent[COMMITS // 2][2] - chosen.uniform(-0.1, 0.35)
        for writer, answer, until in sent:
            while not answer.done() and time.monotonic() < until:
                if time.monotonic() > back:
                    os.kill(BROKER, signal.SIGCONT)
                time.sleep(0.005)
            writer.drop()


for seed in range(ROUNDS):
    give_up(random.Random(seed))
    time.sleep(PATIENCE_S)
