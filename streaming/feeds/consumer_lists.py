"""Who takes part in groups of RocketMQ's: its brokers keep a list of each group's clients.

Every client beats to all brokers that have queues of its topics. So of each topic one broker is
asked, whose address the name server knows. A group without queues there has no list, and who
cannot be asked is an error: what is not known is never taken for nobody.

Used by ``console.examination``, once; the controller itself asks no broker. Its one rule: it only
reads.
"""

import json
import socket
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import count
from typing import Final

from streaming.feeds.name_server import GET_ROUTEINFO_BY_TOPIC, asked_of, read_json
from streaming.feeds.remoting import SUCCESS, TOPIC_NOT_EXIST, Answer, Garbage, ask

GET_CONSUMER_LIST_BY_GROUP: Final = 38
_SYSTEM_ERROR: Final = 1
"""What a broker answers that has no client of the group."""
_TIMEOUT_S: Final = 3.0
_NUMBERS: Final = count(1)

Place = tuple[str, int]


def clients(
    clusters: Iterable[Iterable[Place]], topics_of: Mapping[str, Iterable[str]]
) -> dict[str, frozenset[str]]:
    """Return the clients of each group, by their ids, as far as it has any.

    Args:
        clusters: The name servers of each cluster.
        topics_of: The topics of each group.

    Raises:
        Garbage: A server answered what could not be understood.
        OSError: One did not answer.
    """
    found = defaultdict[str, set[str]](set)
    for servers in clusters:
        for broker, groups in _groups_at(servers, topics_of).items():
            with closing(_connected(broker)) as connection:
                for group in groups:
                    fields = {"consumerGroup": group}
                    answer = ask(connection, GET_CONSUMER_LIST_BY_GROUP, next(_NUMBERS), fields)
                    found[group] |= _ids(answer)
    return {group: frozenset(those) for group, those in found.items() if those}


def _groups_at(
    servers: Iterable[Place], topics_of: Mapping[str, Iterable[str]]
) -> dict[Place, set[str]]:
    """Find a broker for each topic; return about which groups it is to be asked."""
    groups_of = defaultdict[str, set[str]](set)
    for group, topics in topics_of.items():
        for topic in topics:
            groups_of[topic].add(group)
    found = defaultdict[Place, set[str]](set)
    with closing(_first_of(servers)) as names:
        for topic, groups in groups_of.items():
            answer = ask(names, GET_ROUTEINFO_BY_TOPIC, next(_NUMBERS), asked_of(topic))
            if (place := _broker(answer)) is not None:
                found[place] |= groups
    return found


def _first_of(servers: Iterable[Place]) -> socket.socket:
    """Return a connection to the first one that takes it."""
    failure: OSError = OSError("no name server is named")
    for place in servers:
        try:
            return _connected(place)
        except OSError as error:
            failure = error
    raise failure


def _connected(place: Place) -> socket.socket:
    try:
        return socket.create_connection(place, _TIMEOUT_S)
    except OSError as error:
        host, port = place
        raise OSError(f"{host}:{port}: {error}") from error


def _broker(answer: Answer) -> Place | None:
    """Read where a broker of a topic is, the master if there is one; None: nobody has it."""
    if answer.code == TOPIC_NOT_EXIST:
        return None
    if answer.code != SUCCESS:
        raise Garbage(f"the name server says: {answer.remark}")
    try:
        brokers = read_json(answer.body)["brokerDatas"]
        addresses = {str(it["brokerName"]): it["brokerAddrs"] for it in brokers}
        _, at = min((name, those[min(those)]) for name, those in addresses.items() if those)
        host, _, port = str(at).rpartition(":")
        return host, int(port)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise Garbage("a route without the address of a broker") from error


def _ids(answer: Answer) -> frozenset[str]:
    """Read the clients of a group."""
    if answer.code == _SYSTEM_ERROR:
        return frozenset()
    if answer.code != SUCCESS:
        raise Garbage(f"the broker says: {answer.remark}")
    try:
        return frozenset(map(str, json.loads(answer.body)["consumerIdList"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Garbage("a list of consumers that cannot be read") from error
