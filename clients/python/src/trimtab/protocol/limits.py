"""Every limit of the wire, each with its reason, in one place.

A client that can write to a topic can make the controller, and every member of the group, read what
it wrote. So everything has a limit: what the biggest honest user needs, times a small margin.
Changing one is a change of the contract (the JSON Schemas carry them), so a test compares them with
what is checked in.
"""

NAME_CHARACTERS = 255
"""A group, member, topic or broker name. RocketMQ allows 255 (`Validators.CHARACTER_MAX_LENGTH` for
groups, 127 for topics, longer with a `%RETRY%` prefix); Kafka's topics end at 249."""

TEXT_CHARACTERS = 300
"""Free text for people: reasons and details. Two lines of a terminal, and short enough to log."""

TOKEN_CHARACTERS = 64
"""Machine words such as a cause or an id of a command (a UUID has 36)."""

TOPICS_PER_MEMBER = 1_000
"""Topics in one subscription. Kafka's own guidance ends at a few hundred for one consumer."""

PATTERNS_PER_MEMBER = 100
"""Patterns in one subscription. Each stands for many topics; beyond that, name topics instead."""

PATTERNS_PER_GROUP = 200
"""Different patterns of all members of a group. Its summary lists them all, because the route
watcher learns them there, and so they must fit beside the rest."""

PATTERN_CHARACTERS = NAME_CHARACTERS
"""A pattern. A longer one could match nothing that a shorter one does not, but for runs of `*`."""

QUEUES_PER_RECORD = 10_000
"""Queues named in one record, and queues of one topic. Names are said once, so 10,000 rows of ~30
bytes stay far below the record limit; only very many long names reach that one first. More
partitions in a topic than that are beyond what Kafka is run with."""

RUNS_PER_ROUTE = 1_000
"""Runs of queue ids in a route: one per broker of a RocketMQ topic."""

RACK_RUNS_PER_ROUTE = 2_500
"""Runs of queues that stand in the same racks. Three names of 100 characters in each are three
quarters of a record; a topic that needs more, as one without any order in 10,000 partitions, is
told without racks."""

RACKS_PER_QUEUE = 16
"""Racks in which a queue has replicas: nobody has so many replicas."""

GROUPS_PER_CLIENT = 1_000
"""Groups in one heartbeat of a RocketMQ client; a process with a hundred consumers is a big one."""

BEANS_PER_HEARTBEAT = 5_000
"""Objects in one heartbeat of a RocketMQ client: its groups, each with its subscriptions. One costs
some microseconds, and they are counted before they are read."""

BROKERS_PER_REPORT = 1_000
"""Brokers in one latency report."""

MEMBERS_PER_SUMMARY = 1_000
"""Members listed in a group's summary: it is for people; the counts beside it are complete."""

CELLS_PER_PARTITION = 64
"""Cells that share a partition: as many cores are beyond what one controller is run with."""

LEFT_OUT_NAMED = 10
"""Topics that a summary names in one line because the group has no room for them."""

TESTERS = 99
"""Reporters that try a broker which is out of use: enough for a quorum of 50 among liars."""

VOTERS = 16
"""Reporters that are named with a verdict: enough to see what they share."""

RECORD_BYTES = 1024 * 1024
"""A record's value. Kafka's default `max.message.bytes` is 1 MiB and 12 bytes for the batch."""

AROUND_BYTES = 16 * 1024
"""Room around the largest value: for its key, its headers, and those of its batch."""

REPORT_BYTES = 256 * 1024
"""A latency report: 1,000 brokers of ~150 bytes, with room for long names."""

HEARTBEAT_DATA_BYTES = 256 * 1024
"""A heartbeat of a RocketMQ client: 1,000 groups with a topic each. Every cell reads all of them,
so this is a part of what a record may be."""

DEAD_LETTER_BYTES = 1024
"""How much of a bad record's key, and of its value, a dead letter keeps."""

SAFE_INTEGER = 2**53 - 1
"""The largest integer every JSON reader keeps exactly (RFC 8259 §6); epochs, sequences and
timestamps stay below it."""

NAMED_AHEAD = 1_000_000
"""How far above the grant that it ends a release may name a life: what is beyond was never drawn,
and one such token would shut every later owner out of a store that keeps the largest. Of honest
ones each life adds one, and the controller does not follow further, either."""

EPOCH_REACHED = 2**52
"""No group has drawn as many epochs, and as many are left after it: whoever writes that one was
reached leaves the group room to go on. At a million a second it takes 142 years."""

POSITION = 2**63 - 1
"""A position in a queue: Kafka's and RocketMQ's offsets are signed 64-bit integers. Readers without
64-bit integers must parse positions with care; that is better than a queue that cannot move."""

QUEUE_ID = 2**31 - 1
"""Partition numbers and RocketMQ's queue ids are signed 32-bit integers."""

PARTITION = QUEUE_ID

WEIGHT = 1_000
"""A member's relative strength. Three digits tell any two real machines apart."""

DURATION_MS = 24 * 60 * 60 * 1000
"""No timeout is longer than a day: beyond it a "timeout" only hides a dead member."""

LEASE_MS = 30 * DURATION_MS
"""How long what is said of a topic may hold without being said again."""

MIN_TIMEOUT_MS = 100
"""No timeout is shorter than this: below it a garbage collection looks like a death."""
