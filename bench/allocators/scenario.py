"""The groups that both sides are asked about, and the file that carries one to Kafka's side.

A group of M members with R queues each over T topics, with subscriptions

    same      everybody subscribes everything
    pools     five pools of members and topics that have nothing to do with each other
    halves    each member subscribes a random half of the topics: chains of overlaps everywhere

The file is lines of numbers: the topics' sizes; the members' names; their instances, or "-"; how
many distinct subscriptions, then the topics of each; each member's subscription; then for each
topic the present owner (a member's number, or -1) of each queue. An answer is those last lines
again.

Members and topics are in Java's order, so their numbers are those of our catalog too. It is
seeded, so both sides and all runs see the same group.
"""

import random
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from allocators.sticky.waterline import Ints
from rebalance.allocation import Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

SEED = 4
POOLS = 5
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Scenario:
    """A group before an assignment."""

    members: tuple[MemberId, ...]
    candidates: dict[MemberId, Applicant]
    queues: dict[TopicName, tuple[Queue, ...]]

    def joined(self) -> "Scenario":
        """Return the group with one member more, its id after all others."""
        newest = self.members[-1]
        member = MemberId(f"member-{int(newest.removeprefix('member-')) + 1:05d}")
        like = self.candidates[self.members[0]]
        return replace(
            self,
            members=(*self.members, member),
            candidates={**self.candidates, member: like},
        )

    def left(self, place: int) -> "Scenario":
        """Return the group with one member less."""
        rest = self.members[:place] + self.members[place + 1 :]
        return replace(
            self, members=rest, candidates={name: self.candidates[name] for name in rest}
        )

    def write(self, file: Path, owners: Ints) -> None:
        """Write the question as Kafka's side takes it."""
        place = {topic: number for number, topic in enumerate(self.queues)}
        everybody = dict.fromkeys(self.candidates[name].topics for name in self.members)
        kinds = {topics: number for number, topics in enumerate(everybody)}
        sizes = [len(shelf) for shelf in self.queues.values()]
        lines = [
            " ".join(map(str, sizes)),
            " ".join(self.members),
            " ".join(self.candidates[name].instance or "-" for name in self.members),
            str(len(kinds)),
            *(" ".join(str(place[topic]) for topic in sorted(topics)) for topics in kinds),
            " ".join(str(kinds[self.candidates[name].topics]) for name in self.members),
            *(
                " ".join(map(str, each.tolist()))
                for each in np.split(owners, np.cumsum(sizes)[:-1])
            ),
        ]
        file.write_text("\n".join(lines) + "\n", "utf-8")


def scenario(members: int, queues_each: int, topics: int, subscriptions: str) -> Scenario:
    """Make a group."""
    dice = random.Random(SEED)
    names = [TopicName(f"topic-{place:04d}") for place in range(topics)]
    size = members * queues_each // topics
    queues = {
        name: tuple(Queue(name, BrokerName(""), place) for place in range(size)) for name in names
    }
    people = tuple(MemberId(f"member-{place:05d}") for place in range(members))
    pools = [Applicant(frozenset(names[pool::POOLS])) for pool in range(POOLS)]
    match subscriptions:
        case "same":
            kinds = [Applicant(frozenset(names))] * members
        case "pools":
            kinds = [pools[place % POOLS] for place in range(members)]
        case _:
            halves = (dice.sample(names, topics // 2) for _ in people)
            kinds = [Applicant(frozenset(half)) for half in halves]
    return Scenario(people, dict(zip(people, kinds, strict=True)), queues)


def renumbered(owners: Ints, before: Scenario, after: Scenario) -> Ints:
    """Write the owners of one group in the numbers of another; who is gone owns nothing."""
    number = {name: place for place, name in enumerate(after.members)}
    places = np.array([*(number.get(name, NOBODY) for name in before.members), NOBODY])
    return places[owners]
