"""Which broker to avoid and for how long, exactly by RocketMQ's rules.

Pure: no I/O, no clock, no randomness; `now` is an argument. Producers use it for what they saw
themselves, the controller for what a whole cluster reports. Read `rules`, `item`, `table`, then
`selection`.
"""

from trimtab.faults.item import FaultItem, compare
from trimtab.faults.rotation import Rotation
from trimtab.faults.rules import ROCKETMQ_4, ROCKETMQ_5, RULES, FaultRules, Generation
from trimtab.faults.selection import Judge, Place, Selector, WriteQueues, select
from trimtab.faults.table import DETECT_INTERVAL_MS, DETECT_TIMEOUT_MS, FaultTable, Probe, Resolve
from trimtab.faults.verdicts import FRESH_FOR_MS, VerdictBoard

__all__ = [
    "DETECT_INTERVAL_MS",
    "DETECT_TIMEOUT_MS",
    "FRESH_FOR_MS",
    "ROCKETMQ_4",
    "ROCKETMQ_5",
    "RULES",
    "FaultItem",
    "FaultRules",
    "FaultTable",
    "Generation",
    "Judge",
    "Place",
    "Probe",
    "Resolve",
    "Rotation",
    "Selector",
    "VerdictBoard",
    "WriteQueues",
    "compare",
    "select",
]
