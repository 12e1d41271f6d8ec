"""Members that join again and again, in a recording.

Each time may be in order by itself: a life ends, another begins, and no promise is broken. But if
that goes on for minutes, someone should look: a process that crashes as soon as it works, or a
member that cannot read from Kafka and gives up its session. Lives that are members under names of
their own (``policy.on_twin = "separate"``) may all be there at once: none of them joined again.

Filled and asked by ``remarks``.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from streaming.wire.rows import Row
from trimtab.protocol import HISTORY, MEMBERS, Join, MemberChanged, UndecodableRecord, decode

LIVES: Final = 4
"""As many as make the controller let a member rest (``policy.flap_limit``)."""
TOGETHER_MS: Final = 300_000
"""Lives that begin within so long of each other: longer than most sessions are."""


@dataclass(slots=True)
class Restless:
    """When each life of each member began."""

    _lives: dict[tuple[str, str], dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    _apart: set[tuple[str, str]] = field(default_factory=set)
    """Names that may be those of single lives."""

    def told(self, group: str, name: str) -> None:
        """Take note of whom an assignment is for."""
        if "@" in name:
            self._apart.add((group, name))

    def recall(self, group: str, value: bytes | None) -> None:
        """Take note of whom the history names, which is kept when no assignment is."""
        if b"@" in (value or b""):
            try:
                record = decode(HISTORY, value)
            except UndecodableRecord:
                return
            if isinstance(record, MemberChanged):
                self.told(group, record.member)

    def hear(self, group: str, row: Row) -> None:
        """Take note of a record of ``members``."""
        try:
            record = decode(MEMBERS, row.value)
        except UndecodableRecord:
            return
        if isinstance(record, Join):
            self._lives[group, record.member].setdefault(record.incarnation, row.appended_ms)

    def said(self) -> Iterator[str]:
        """Name them, a line each."""
        for (group, member), lives in self._lives.items():
            begun = [at for it, at in lives.items() if (group, f"{member}@{it}") not in self._apart]
            series = max(_series(sorted(begun)), key=len)
            if len(series) >= LIVES:
                seconds = (series[-1] - series[0]) // 1_000
                yield (
                    f"{member} of {group} joined again {len(series)} times in {seconds} s: "
                    "its own log says what failed"
                )


def _series(begun: list[int]) -> Iterator[list[int]]:
    """Cut the beginnings of lives where there was a long rest."""
    series = begun[:1]
    for before, at in pairwise(begun):
        if at - before > TOGETHER_MS:
            yield series
            series = []
        series.append(at)
    yield series
