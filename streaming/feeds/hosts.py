"""The host watcher: tells the jury which brokers each topic of this Kafka can be written to.

The promise "never the last broker of a topic" needs it. It looks as often as votes are counted, but
not more often than the route watcher, and says what is new since it last looked. At its start, and
whenever the query begins, it says everything, which changes nothing that the jury knows already:
a new checkpoint reads only the last minutes of ``latency``. A broker counts for a topic
while it leads one of its partitions. Its address is said too, because a broker at another address
is another one under an old name (fault E10).

Run by ``start``. Its one rule: it decides nothing; where a topic is stored is a fact for the
log.
"""

import time
from functools import partial
from threading import Event

from confluent_kafka import KafkaError, Message

from streaming.feeds.clients import LIFETIME_MS, FeedProducer
from streaming.feeds.feed import client_config, logger
from streaming.feeds.host_plan import HostPlan
from streaming.feeds.metadata import Metadata
from streaming.options import Options
from streaming.process.horizon import Horizon
from streaming.process.trouble import Trouble
from trimtab.protocol import LATENCY, Hosts, encode, partition_of


class HostWatcher:
    """Watches hosts until it is told to stop."""

    name = "hosts"

    def __init__(self, options: Options, horizon: Horizon) -> None:
        self._options = options
        self._horizon = horizon
        self._start = horizon.start
        self._log = logger(self.name)
        self._writing = Trouble(self._log, "write hosts")
        self._plan = HostPlan(options.topics.prefix, options.verdicts.topics_max)
        self._beyond = 0

    def run(self, stop: Event) -> None:
        """Watch: look, tell."""
        producer, metadata = self._producer(), self._metadata()
        options = self._options
        interval_ms = max(options.verdicts.sweep_ms, options.feeds.route_poll_interval_ms)
        while not stop.is_set():
            seen = metadata.whereabouts(self._plan.known)
            if seen is not None:
                self._begin_anew()
                cluster = options.feeds.cluster or seen.cluster
                news = self._plan.news(seen.topics, time.monotonic())
                self._warn()
                for hosts in news:
                    self._tell(producer, cluster, hosts)
                if news:
                    self._log.info(
                        "announced the brokers of topics", cluster=cluster, topics=len(news)
                    )
            producer.flush(LIFETIME_MS / 1000)
            producer.poll()
            stop.wait(interval_ms / 1000)

    def _begin_anew(self) -> None:
        """If the query has begun since the last look, take nothing for known."""
        if self._start != (start := self._horizon.start):
            self._start = start
            self._plan.doubt()

    def _warn(self) -> None:
        """Say once that there are topics without room; whoever adds more knows it then."""
        beyond, self._beyond = self._beyond, self._plan.beyond
        if self._beyond and not beyond:
            self._log.warning(
                "there are more topics than the jury remembers: it may take out the last broker of "
                "one of the others",
                topics=self._beyond,
                remembered=self._options.verdicts.topics_max,
            )

    def _producer(self) -> FeedProducer:
        config = client_config(self._options, self.name, self._writing)
        return FeedProducer(config, self._writing)

    def _metadata(self) -> Metadata:
        trouble = Trouble(self._log, "read broker metadata")
        return Metadata(client_config(self._options, self.name, trouble), trouble)

    def _tell(self, producer: FeedProducer, cluster: str, hosts: Hosts) -> None:
        topic = f"{self._options.topics.prefix}{LATENCY.name}"
        partition = partition_of(cluster, self._options.topics.partitions)
        heard = partial(self._delivered, hosts)
        if not producer.write(topic, encode(hosts), cluster.encode(), partition, heard):
            self._plan.lost(hosts)

    def _delivered(self, hosts: Hosts, error: KafkaError | None, _message: Message) -> None:
        if error is None:
            self._plan.taken(hosts)
        else:
            self._plan.lost(hosts)
