"""The verdicts on brokers as Kafka has them.

`brokers` is compacted, so the last record of each key is the newest verdict on that broker. Called
by `trimtab brokers`.
"""

from console.settings import Settings
from console.whole_topics import messages
from trimtab.protocol import BROKERS, BrokerKey, Verdict, decode, read_broker_key


def standing(settings: Settings, servers: str) -> list[Verdict]:
    """Read the newest verdict on each broker, in order of cluster and broker.

    Raises:
        Failure: The topic cannot be read.
    """
    topic = f"{settings.topics.prefix}{BROKERS.name}"
    verdicts: dict[BrokerKey, Verdict] = {}
    for message in messages(settings, servers, [topic]):
        key, value = read_broker_key(message.key()), message.value()
        if value is None:
            verdicts.pop(key, None)
        else:
            verdicts[key] = decode(BROKERS, value)
    return [verdict for _, verdict in sorted(verdicts.items())]
