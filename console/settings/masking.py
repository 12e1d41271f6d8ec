"""Hide what must not be printed: passwords and keys among the options of other programs.

Which options are secret is decided by their names, and by names within their values, because Kafka
and Spark keep adding options; of our own only the URL of Redis is. One rule: of these rather too
much is hidden; every printer asks here first.
"""

import re
from collections.abc import Sequence

MASK = "********"

_IN_URL = re.compile(r"(?<=://).*@", re.DOTALL)
"""A password may contain "@" and "/"; where the server is begins after the last "@"."""
_REDIS = re.compile(
    r"((?:rediss?|unix)://)([^/?#]*@)?((?:(?:\[[^]@]*\]|[^][:/?#@]+)(?::\d+)?)?(?:/[^?#@]*)?)(\?[^@]*)?"
)
"""What kind, who, where, and options, which may hold a password. What is not surely one of these
four is none: a password may have any sign in it."""
OF_OTHERS = {("kafka", "options"), ("spark", "options")}
"""Tables with the options of other programs; each value is a text."""
_URL = ("redis", "url")
_SECRET = re.compile(r"password|secret|token|key|sasl\.jaas\.config", re.IGNORECASE)
_SECRET_WITHIN = re.compile(rf"({_SECRET.pattern})[\w.-]*\s*=", re.IGNORECASE)
"""Of a value that has options in it, as those for a JVM."""


def is_masked(value: object) -> bool:
    """Tell whether something of a value has been hidden."""
    return isinstance(value, str) and MASK in value


def masked(key: Sequence[str], value: object) -> object:
    """``value``, unless it is an option that sounds like a secret; a URL without its user."""
    if tuple(key) == _URL:
        return value and _of_redis(str(value))
    if value and tuple(key[:2]) in OF_OTHERS and _is_secret(key[-1], value):
        return MASK
    return _IN_URL.sub(f"{MASK}@", value) if isinstance(value, str) else value


def _is_secret(name: str, value: object) -> bool:
    if isinstance(value, dict | list) or _SECRET.search(name):
        return True
    return isinstance(value, str) and _SECRET_WITHIN.search(value) is not None


def _of_redis(url: str) -> str:
    """Return no more of the URL than where it goes."""
    found = _REDIS.fullmatch(url)
    if found is None:
        return MASK
    kind, who, where, options = found.groups()
    return kind + (f"{MASK}@" if who else "") + where + (f"?{MASK}" if options else "")
