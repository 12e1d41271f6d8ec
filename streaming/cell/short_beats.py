"""Short beats: those that a shut gate has read before, and drops unread.

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

_MOST: Final = 300_000
"""Fingerprints, of about 200 bytes each: if there are more, it begins anew."""


@dataclass(slots=True)
class ShortBeats:
    """What one worker has in mind."""

    _known: set[tuple[int, int]] = field(default_factory=set)

    def among(self, beats: Beats) -> NDArray[Any]:
        """Tell which are known to be short."""
        pairs = zip(beats.first.tolist(), beats.second.tolist(), strict=True)
        return np.fromiter(map(self._known.__contains__, pairs), bool, len(beats))

    def learn(self, fingerprints: Iterable[Fingerprint]) -> None:
        """Keep these in mind."""
        if len(self._known) > _MOST:
            self._known.clear()
        self._known.update(fingerprints)

    def forget(self) -> None:
        """Keep nothing: no gate is shut any more, or each can be read once again."""
        self._known.clear()
