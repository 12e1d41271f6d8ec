"""Redis: each member's assignment once more, for clients that poll and have no Kafka.

A hash for each member, under the key that its record has in Kafka; its field ``value`` is the
record. What is written follows the log: a record sets the hash if no member would ignore it (a
greater epoch, or a younger life), and a tombstone empties it if nothing younger is there. So the
same records may be written again, late, by two controllers at once, and nothing goes back. A hash
that nobody renews expires.

Fed by ``streaming.feeds.redis``. Its one rule: no hash goes back.
"""

from dataclasses import dataclass
from typing import Final

from sinks.contract import Outlet
from trimtab.protocol import ASSIGNMENTS, Assignment

FORWARD: Final = """
local known = redis.call('HMGET', KEYS[1], 'epoch', 'incarnation', 'offset', 'value')
local epoch, life, offset = tonumber(known[1] or '-1'), known[2] or '', tonumber(known[3] or '-1')
if ARGV[1] == 'gone' then
  if known[1] and tonumber(ARGV[4]) > offset then
    redis.call('HDEL', KEYS[1], 'value')
    redis.call('HSET', KEYS[1], 'offset', ARGV[4])
    return 1
  end
  return 0
end
local is_news = tonumber(ARGV[2]) > epoch or ARGV[3] > life
local is_same = known[4] and tonumber(ARGV[2]) == epoch and ARGV[3] == life
if is_news or is_same or (not known[4] and tonumber(ARGV[4]) > offset) then
  redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'incarnation', ARGV[3], 'offset', ARGV[4],
    'value', ARGV[5])
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  return is_same and 0 or 1
end
return 0
"""
"""Returns 1 if the hash was changed, 0 if there was nothing new. An epoch that members ignore is
one that is smaller, unless it is for a younger life; epochs are exact in Lua's numbers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be written of one member."""

    key: bytes
    offset: int
    """Of its record in the log."""
    value: bytes | None
    """None: the member is gone."""
    epoch: int = 0
    incarnation: str = ""

    def arguments(self, expire_ms: int) -> tuple[str | int | bytes, ...]:
        """Return what the script is called with."""
        if self.value is None:
            return ("gone", 0, "", self.offset)
        return ("set", self.epoch, self.incarnation, self.offset, self.value, expire_ms)


def entry_of(
    outlet: Outlet, key: bytes, offset: int, value: bytes | None, record: Assignment | None
) -> Entry:
    """Address a record of ``assignments``.

    Args:
        outlet: Where the controller's topics are: the keys begin like them.
        key: Of the record.
        offset: Of the record.
        value: Of the record.
        record: What the value says; None: it is a tombstone.
    """
    name = outlet.topic(ASSIGNMENTS).encode() + b":" + key
    if record is None:
        return Entry(name, offset, None)
    return Entry(name, offset, value, record.epoch, record.incarnation)
