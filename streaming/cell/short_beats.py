"""Short beats: those that a shut gate would drop once more, and that do not come to it.

While a gate is shut it keeps the last full beat of each life, and drops the short ones: they list
no queues. Each is its member's last one but for its number. So a worker keeps in mind the
fingerprints of those that were read and dropped. Ten minutes of 100,000 members' beats are twenty
million; to read each of them took longer than as many took to come.

Kept by ``CellRules``, filled by ``fold``, asked by ``counting``. A worker that forgets everything
decides the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from streaming.wire.beats import Beats, Fingerprint
from streaming.wire.rocketmq import CellPlace

_MOST: Final = 300_000
"""Fingerprints, of about 200 bytes each: if there are more, it begins anew."""


@dataclass(slots=True)
class ShortBeats:
    """What one worker has in mind, of each cell: elsewhere the same beat may be misplaced."""

    _known: dict[CellPlace | None, set[tuple[int, int]]] = field(default_factory=dict)

    def among(self, beats: Beats, here: CellPlace | None) -> NDArray[Any]:
        """Tell which are known to be short."""
        pairs = zip(beats.first.tolist(), beats.second.tolist(), strict=True)
        known = self._known.get(here, set())
        return np.fromiter(map(known.__contains__, pairs), bool, len(beats))

    def learn(self, fingerprints: Iterable[Fingerprint], here: CellPlace | None) -> None:
        """Keep these in mind."""
        if sum(map(len, self._known.values())) > _MOST:
            self._known.clear()
        self._known.setdefault(here, set()).update(fingerprints)

    def forget(self, here: CellPlace | None) -> None:
        """Keep nothing of a cell whose gate opens."""
        self._known.pop(here, None)
