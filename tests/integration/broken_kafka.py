"""A Kafka that goes away and comes back: it is restarted, or frozen for a while.

How long it is away is up to the test: until somebody has noticed. Its data and its port stay.
"""

import os
import signal
from collections.abc import Callable

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
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        noticed()
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    return kafka
