"""RocketMQ's own clients as members: each says all that it wants in one heartbeat, again and again.

An application is as many clients as a group has members, and all of them are in its four groups.
Which ones is left to chance, because heartbeats come in the order of the numbers, and those of an
application do not come together. A heartbeat is the body of a HEART_BEAT, as the client writes it;
who goes unregisters from each of its groups. Used by ``generator`` and by ``probes``. Its one rule:
a client that comes again is a new process, so it has another client id, as in RocketMQ.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Final

from bench.scale.members import Said, Told
from rebalance.groups.model.subscriptions import RETRIES
from trimtab.protocol import ROCKETMQ, Assignment, partition_of
from trimtab.protocol.heartbeat_data import HeartbeatData, write_heartbeat

GROUPS_EACH: Final = 4
"""Of a client."""
_SEED: Final = 3
_SUBSCRIBED_MS: Final = 1_767_225_600_000


class Clients:
    """All of them, by number."""

    beats_by = ROCKETMQ

    def __init__(self, told: Told) -> None:
        self.count = told.groups // GROUPS_EACH * told.size
        self._told = told
        self._dealt = Random(_SEED).sample(range(self.count), self.count)
        self._lives = [1] * self.count
        self._away = set[int]()
        self._bodies = [b""] * self.count
        self._places = [(b"", 0)] * self.count
        self._numbers: dict[str, int] = {}
        """Of those that are there, by their client ids."""
        self._untold = set[tuple[str, str]]()
        """Groups, and their members that they have told nothing yet."""
        for it in range(self.count):
            self._begin(it)

    @property
    def are_at_work(self) -> bool:
        """Whether each was told what it owns in each of its groups."""
        return not self._untold

    def place(self, it: int) -> tuple[bytes, int]:
        """Return the key and the partition of a client's records."""
        return self._places[it]

    def joins(self, it: int) -> tuple[Said, ...]:
        """Come: with a heartbeat like any other."""
        return ((ROCKETMQ, self._bodies[it]),)

    def beats(self, it: int) -> bytes:
        """Say it all again."""
        return self._bodies[it]

    def restarts(self, it: int) -> Iterator[Said]:
        """Go, and come as another process: from the last of these on it has another place."""
        yield from self.leaves(it)
        yield from self.returns(it)

    def leaves(self, it: int) -> tuple[Said, ...]:
        """Unregister from each group."""
        self._away.add(it)
        name = client_id(it, self._lives[it])
        self._numbers.pop(name, None)
        self._untold -= {(group, name) for group in self._groups(it)}
        return tuple((ROCKETMQ, said) for said in unregistrations(name, self._groups(it)))

    def returns(self, it: int) -> tuple[Said, ...]:
        """Come as another process."""
        self._away.discard(it)
        self._lives[it] += 1
        self._begin(it)
        return self.joins(it)

    def is_away(self, it: int) -> bool:
        """Tell whether it has gone, and is silent."""
        return it in self._away

    def hears(self, said: Assignment) -> tuple[Said, ...]:
        """Take what is said to one of them; it has no answer."""
        if said.member in self._numbers:
            self._untold.discard((said.group, said.member))
        return ()

    def _begin(self, it: int) -> None:
        name, groups = client_id(it, self._lives[it]), self._groups(it)
        self._bodies[it] = heartbeat(name, self._told.topic, groups)
        self._places[it] = (name.encode(), partition_of(name, self._told.partitions))
        self._numbers[name] = it
        if self._told.answered:
            self._untold |= {(group, name) for group in groups}

    def _groups(self, it: int) -> list[str]:
        return groups_of(self._dealt[it] // self._told.size)


def groups_of(application: int) -> list[str]:
    """Return the groups of an application."""
    first = application * GROUPS_EACH
    return [f"load-{number}" for number in range(first, first + GROUPS_EACH)]


def retried(group: str) -> str:
    """Return the group's own topic, of messages to be tried again."""
    return f"{RETRIES}{group}"


def client_id(it: int, life: int) -> str:
    """Return what a client calls itself: its address, process, and when that began."""
    return f"10.{it >> 16}.{it >> 8 & 255}.{it & 255}@{1_000 + life}#{10**15 + it}"


def heartbeat(name: str, topic: str, groups: list[str]) -> bytes:
    """Return the body of a heartbeat of a push consumer in each of these groups."""
    consumers = [
        {
            "consumeFromWhere": "CONSUME_FROM_LAST_OFFSET",
            "consumeType": "CONSUME_PASSIVELY",
            "groupName": group,
            "messageModel": "CLUSTERING",
            "subscriptionDataSet": [
                {"subString": "*", "subVersion": _SUBSCRIBED_MS, "topic": each}
                for each in (topic, retried(group))
            ],
        }
        for group in groups
    ]
    said = {
        "clientID": name,
        "consumerDataSet": consumers,
        "producerDataSet": [{"groupName": "CLIENT_INNER_PRODUCER"}],
    }
    return write_heartbeat(HeartbeatData.model_validate(said))


def unregistrations(name: str, groups: list[str]) -> tuple[bytes, ...]:
    """Return the fields of an UNREGISTER_CLIENT for each of these groups."""
    said = [{"clientID": name, "consumerGroup": group} for group in groups]
    return tuple(json.dumps(it).encode() for it in said)
