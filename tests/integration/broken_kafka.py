"""A Kafka that goes away and comes back: it is restarted, or frozen for a while.

How long it is away is up to the test: until somebody has noticed. Its data and its port stay.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from console.embedded.broker import EmbeddedKafka


def restarted(kafka: EmbeddedKafka, noticed: Callable[[], object]) -> EmbeddedKafka:
    """Stop Kafka until that is noticed, and start it anew at the same place."""
    port = int(kafka.bootstrap_servers.rsplit(":")[-1])
    home = kafka.instance.directory.parent
    kafka.stop()
    noticed()
    return EmbeddedKafka(home, port=port).start()


def frozen(kafka: EmbeddedKafka, noticed: Callable[[], object]) -> EmbeddedKafka:
    """Freeze Kafka until that is noticed."""
    broker = kafka.instance.running()
    assert broker is not None
    with hung(broker.pid):
        noticed()
    return kafka


@contextmanager
def hung(pid: int) -> Iterator[None]:
    """Freeze the broker of this process for the block: it takes connections, and says nothing."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
