"""Epochs: the one counter of a group, and what may be said under it (I4, I14).

A reader drops whatever is not newer than what it has seen, so an epoch that went back would be
deaf orders, and one epoch with two meanings would split the group. A replayed batch may say the
same again, byte for byte. And nobody is told again what it knows, unless it asked by joining:
otherwise an idle group would talk for ever.

Called by ``checker`` for each record published to one group. Its one rule: it compares what was
said with what was said before, and nothing else.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from audit.history import Beaten, Grant, Issued, Joined, Life, Summarised
from audit.violations import Invariant, Violation


class _Said(NamedTuple):
    """The last word under one key."""

    epoch: int
    content: Hashable
    orders: Hashable
    """The same without epoch and cause."""
    grants: frozenset[Grant]


class Epochs:
    """The counter of one group, as published."""

    def __init__(self, group: str, *, exact: bool, joins: bool) -> None:
        """Begin with nothing said; say what will be shown, and in which order (``Promises``)."""
        self._group = group
        self._exact = exact
        self._joins = joins
        self._highest = 0
        self._said: dict[Life, _Said] = {}
        self._summary: tuple[int, Hashable] = (0, None)
        self._asked = Counter[Life]()
        """How often each may be told again; several are one, when they are read in one batch."""

    def joined(self, record: Joined) -> None:
        """Whoever joins is to be answered, even if nothing changed."""
        self._ask(record.life)

    def beaten(self, record: Beaten) -> None:
        """Whoever claims what it was not granted is to be told what it was."""
        said = self._said.get(record.life)
        if said is None or record.owned is None:
            return
        if not self._exact or not said.grants.issuperset(record.owned):
            self._ask(record.life)

    def _ask(self, life: Life) -> None:
        self._asked[life] = 1 if self._exact else self._asked[life] + 1

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Judge a member's orders."""
        before = self._said.get(record.life)
        orders = (record.hold, record.give, record.inherit, record.session_timeout_ms)
        grants = frozenset([*record.hold, *record.give])
        self._said[record.life] = _Said(record.epoch, record.content, orders, grants)
        asked = self._asked[record.life] > 0
        if self._exact or before is None or before.epoch < record.epoch:
            self._asked[record.life] -= asked  # a batch that is repeated answers nobody anew
        if record.epoch < self._highest:
            detail = f"epoch {record.epoch} after {self._highest}"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)
        self._highest = max(self._highest, record.epoch)
        if before is None:
            return
        if before.epoch == record.epoch and before.content != record.content:
            detail = f"two meanings of epoch {record.epoch}"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)
        if not self._joins or asked:
            return
        if before.epoch < record.epoch and before.orders == orders:
            detail = f"told again under epoch {record.epoch} what epoch {before.epoch} said"
            yield self._violation(Invariant.CALM, record, detail)

    def summarised(self, record: Summarised) -> Iterator[Violation]:
        """Judge a summary."""
        epoch, content = self._summary
        self._summary = (record.epoch, record.content)
        if record.epoch < epoch or (record.epoch == epoch and record.content != content):
            detail = f"the summary of epoch {record.epoch} after that of {epoch}"
            yield Violation(Invariant.EPOCHS_GROW, self._group, "summary", detail, (record.at,))

    def ended(self, life: Life) -> None:
        """A life is over: should it come back, it knows nothing."""
        self._said.pop(life, None)
        del self._asked[life]

    def _violation(self, invariant: Invariant, record: Issued, detail: str) -> Violation:
        return Violation(invariant, self._group, record.life.member, detail, (record.at,))
