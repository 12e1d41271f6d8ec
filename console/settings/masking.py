"""Hide what must not be printed: passwords and keys among the options of other programs.

Which options are secret is decided by their names, because Kafka and Spark keep adding options. One
rule: rather hide too much; every printer asks here first.
"""

import re
from collections.abc import Sequence

MASK = "********"

_IN_URL = re.compile(r"(?<=://)[^/@]*@")
_SECRET = re.compile(r"password|secret|token|key|sasl\.jaas\.config", re.IGNORECASE)


def masked(key: Sequence[str], value: object) -> object:
    """``value``, unless the last part of its key sounds like a secret's; a URL without its user."""
    if isinstance(value, str) and "://" in value:
        value = _IN_URL.sub(f"{MASK}@", value)
    return MASK if value and _SECRET.search(key[-1]) else value
