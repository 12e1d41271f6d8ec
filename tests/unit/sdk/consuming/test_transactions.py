"""What is told of transactions that nobody waited for."""

import time
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.transactions import Transactions

ONE = Grant(queue(), 1)


@pytest.mark.parametrize("is_owned", [True, False])
def test_who_was_fenced_off_after_a_hand_over_is_not_alarmed(is_owned: bool) -> None:  # noqa: FBT001 - by pytest
    """The next owner has registered, as it should; what it shut out is written by it."""
    owned = {ONE}

    def mine(grants: Collection[Grant]) -> Ownership:
        return Ownership(frozenset(owned & set(grants)), time.monotonic() + 60, "0-life")

    client = cast("Any", SimpleNamespace(group_metadata=bool))
    wish = Wish("nowhere:1", "billing", {}, {}, 2.0)
    transactions = Transactions(wish, mine, lambda _: None, client)
    transactions.write_soon(lambda: {ONE: 5})  # it has not registered
    transactions.close()
    if not is_owned:
        owned.clear()
    told = []
    for _ in range(50):
        time.sleep(0.01)
        try:
            transactions.hear()
        except RefusedError as error:
            told.append(error)

    assert int(is_owned) == len(told)
