"""Wishes as numbers: the strategy reads the explorer's wish in the weight of a member.

A wish says by queue which slot is to have it. A slot is an instance: whoever has it stands there.

Used by ``real_controller``. Each wish has a number of its own, from 1 on.
"""

from rebalance.ids import InstanceId
from tests.laws.messages import Wish


def instance_of(slot: int) -> InstanceId:
    """Return the instance that stands in a slot."""
    return InstanceId(f"i{slot}")


def encoded(wish: Wish, members: int) -> int:
    """Return the number of a wish among so many members."""
    code = 0
    for member in reversed(wish):
        code = code * (members + 1) + member + 1
    return code + 1


def decoded(code: int, queues: int, members: int) -> Wish:
    """Return the wish that has a number."""
    wish, rest = [], code - 1
    for _ in range(queues):
        rest, digit = divmod(rest, members + 1)
        wish.append(digit - 1)
    return tuple(wish)
