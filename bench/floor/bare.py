"""The floor's process: the controller's own session, ticks and pipeline, around ``Tally``.

    python -m bench.floor.bare home=DIRECTORY kafka.bootstrap_servers=HOST:PORT ...

Every option comes from the same settings, through the same wiring, as those of `trimtab run`; the
only difference is the state function. Started by ``contender``. Its one rule: it sets no option.
"""

import sys
from collections.abc import Sequence
from threading import Event, Thread

from bench.floor.tally import Tally
from console.embedded.jars import JarCache
from console.settings import load
from console.wiring import options as wired
from streaming.feeds import TickProducer
from streaming.pipeline import decisions, publish
from streaming.process.horizon import Horizon
from streaming.session import start_session
from streaming.topics import names
from trimtab.protocol import ASSIGNMENTS, HEARTBEATS, ROCKETMQ


def main(key_values: Sequence[str]) -> None:
    """Run until the query fails or the process is told to end."""
    settings = load(key_values=key_values).settings
    servers = settings.kafka.bootstrap_servers
    assert servers is not None, "the bench names its broker"
    options = wired(settings, bootstrap_servers=servers, jars=JarCache.default().spark)
    prefix = options.topics.prefix
    routine = names(prefix, (HEARTBEATS, ROCKETMQ))
    spark = start_session(options)
    Thread(
        target=TickProducer(options, Horizon(routine[0])).run, args=(Event(),), daemon=True
    ).start()
    fold = Tally(tuple(routine), f"{prefix}{ASSIGNMENTS.name}")
    publish(decisions(spark, options, fold), options).awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1:])
