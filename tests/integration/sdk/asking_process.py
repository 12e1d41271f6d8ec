"""Questions about a group that take themselves back while a Kafka that hung comes back.

A process of its own: librdkafka may end it.
"""

import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tests.integration.broken_kafka import hung
from trimtab.moving import company
from trimtab.transports import confluent_discarding

SERVERS, BROKER = sys.argv[1], int(sys.argv[2])
PATIENCE_S: Final = 0.5
QUESTIONS: Final = 24
APART_S: Final = 0.03
ROUNDS: Final = 8

company._SURE_S = 0.0  # type: ignore[misc]  # noqa: SLF001 - each question is asked
company._DROP_S = PATIENCE_S  # type: ignore[misc]  # noqa: SLF001 - and soon taken back
discarded: list[object] = []


def discard(held: list[object]) -> None:
    """Count what is let go of, while nobody looks at anything."""
    discarded.extend(map(type, held))
    confluent_discarding.discard(held)


setattr(company, "discard", discard)  # noqa: B010 - a name that it has imported


def ask(who: company.Company) -> None:
    """Ask, and do nothing more until it is taken back; where there is an answer, hear it."""
    answered = threading.Event()
    who.others("now", bool, answered.set)
    if answered.wait(2 * PATIENCE_S):
        who.others("later", bool, bool)


def take_back(chosen: random.Random) -> None:
    """Let Kafka come back some time while the patience of one question after the other ends."""
    asking = [company.Company({"bootstrap.servers": SERVERS}, "asking") for _ in range(QUESTIONS)]
    for it in asking[::2]:  # the others have no connection yet when Kafka hangs
        ask(it)
    with ThreadPoolExecutor(QUESTIONS) as threads, hung(BROKER):
        asked, began = [], []
        for it in asking:
            asked.append(threads.submit(ask, it))
            began.append(time.monotonic())
            time.sleep(chosen.random() * APART_S)
        back = began[QUESTIONS // 2] + PATIENCE_S - chosen.uniform(-0.1, 0.35)
        time.sleep(max(0.0, back - time.monotonic()))
    for done in asked:
        done.result()


for seed in range(ROUNDS):
    take_back(random.Random(seed))
    time.sleep(PATIENCE_S)
assert discarded, "nothing was taken back"
