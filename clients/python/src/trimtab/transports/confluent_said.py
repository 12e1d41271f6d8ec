"""What librdkafka says, without the wrapping of its Python exception, which is for developers.

Used wherever such an error is told.
"""

import re
from typing import Final

from confluent_kafka import KafkaError

_CUT: Final = re.compile(
    r"log truncation detected .*broker end offset is (\d+) \(offset leader epoch ([1-9]\d*)\)"
)
"""It has no field for that (librdkafka 2.1 to 2.16). Of a topic that was made anew, whose epochs
begin at 0 again, a broker says the same, and nothing of it was read."""


def said(error: Exception) -> str:
    """Return it as words."""
    cause = error.args[0] if error.args else error
    return cause.str() if isinstance(cause, KafkaError) else str(cause)


def cut_in(error: KafkaError) -> int | None:
    """Where a log was cut, if it says so: what is before that is what was read."""
    found = _CUT.search(error.str())
    return None if found is None else int(found[1])
