"""Hide what must not be printed: passwords and keys among the options of other programs.

Which options are secret is decided by their names, because Kafka and Spark keep adding options; of
our own only the URL of Redis is. One rule: of these rather too much is hidden; every printer asks
here first.
"""

import re
from collections.abc import Sequence

MASK = "********"

_IN_URL = re.compile(r"(?<=://)[^/]*@")
"""A password may contain "@"; where the server is begins after the last one."""
OF_OTHERS = {("kafka", "options"), ("spark", "options")}
"""Tables with the options of other programs; each value is a text."""
_URL = ("redis", "url")
_SECRET = re.compile(r"password|secret|token|key|sasl\.jaas\.config", re.IGNORECASE)


def is_masked(value: object) -> bool:
    """Tell whether something of a value has been hidden."""
    return isinstance(value, str) and MASK in value


def masked(key: Sequence[str], value: object) -> object:
    """``value``, unless it is an option that sounds like a secret; a URL without its user."""
    is_of_others = bool(value) and tuple(key[:2]) in OF_OTHERS
    if is_of_others and (isinstance(value, dict | list) or _SECRET.search(key[-1])):
        return MASK
    if isinstance(value, str) and "://" in value:
        return _IN_URL.sub(f"{MASK}@", value)
    return MASK if value and tuple(key) == _URL else value
