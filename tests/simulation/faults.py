"""The faults of the catalogue, and how often each has really hit.

The names are those of the project's fault catalogue (A: controller, B: time and order, C: members,
D: queues and routes, F: Kafka, G: operators and strangers). A fault counts where it takes effect,
not where it was planned: a crash of a process that was gone already proves nothing.
"""

from collections import Counter
from typing import Final

FAULTS: Final = {
    "A1": "the controller is killed in the middle of a batch and repeats it",
    "A2": "the controller is away for ten sessions while members live",
    "A3": "the controller is away while some members die",
    "A4": "beats are forgotten before the controller has read them",
    "A5": "two controllers: the older one reads that the younger has started",
    "A6": "the checkpoint is deleted",
    "A7": "the checkpoint is restored from an old copy",
    "A8": "the state comes back from its packed form",
    "A9": "a batch takes very long",
    "A10": "a worker is lost in a batch, and another one repeats it",
    "A11": "records that cannot be read",
    "A12": "the controller is upgraded, and members read old records and new ones",
    "A13": "an older release is to go on from what a newer one has written",
    "A15": "records are deleted before they were read: a new checkpoint, from what is left",
    "B1": "a member's clock is an hour wrong",
    "B2": "the broker's clock jumps, ahead or back",
    "B3": "records arrive twice",
    "B4": "records of a member overtake each other",
    "B5": "a beat arrives after more than a session",
    "B6": "the controller's own clock is an hour wrong",
    "B7": "nobody is there, and only ticks go on",
    "B8": "stamps are wrong, for one record or for a while, and then right again",
    "C1": "two processes with one name",
    "C2": "two members with one instance",
    "C3": "a zombie: suspended for more than a session, then back",
    "C4": "a member is cut off from Kafka",
    "C5": "a queue is never let go",
    "C6": "queues are let go slowly",
    "C7": "a release is lost or repeated",
    "C8": "a member releases and goes on working",
    "C9": "a member claims what it was never granted",
    "C10": "many join at once",
    "C11": "a member comes and goes and comes and goes",
    "C12": "everybody crashes and comes back",
    "C13": "a member with an instance goes and comes back, or is replaced",
    "C14": "a rolling deploy",
    "C15": "everybody leaves, and one returns",
    "C16": "more members than queues",
    "C17": "more queues than the members may carry",
    "C18": "members of one group subscribe different topics",
    "C19": "members of several kinds: some know no releases, some broadcast",
    "C20": "a heartbeat of 5 MB, or of 50,000 queues",
    "C21": "hostile or odd names",
    "D1": "a route flaps",
    "D2": "a topic is deleted while it is owned",
    "D3": "a topic comes back under its name",
    "D4": "queues are added or removed",
    "D5": "two routes of one version disagree",
    "D6": "half a route",
    "D7": "a broker restarts",
    "D8": "a queue can be written only, for a while",
    "F1": "Kafka is away",
    "F2": "a record or its acknowledgement is lost on the way",
    "F5": "a member reads only the latest of its orders",
    "F8": "the tail of a log is lost",
    "F12": "a member misses one of its records, and reads on",
    "G1": "a group is paused in the middle of everything",
    "G3": "an operator's order, perhaps twice",
    "G11": "somebody speaks in the name of another",
    "G13": "everybody goes, and the group is not used for a while, or forgotten by order",
}


class Faults:
    """What has hit so far."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def occurred(self, fault: str) -> None:
        """A fault has taken effect."""
        self.counts[fault] += 1
