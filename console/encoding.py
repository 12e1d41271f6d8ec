"""What stdout can write: the encodings of some terminals and pipes lack most of Unicode.

What JSON, YAML and TOML cannot write as it is they escape in their own way, so it is valid in every
encoding and says the same. In tables it is escaped as Python does, before columns are measured.

Nor is written what a terminal would obey: names are of strangers.

Called by ``console.output``, ``console.progress`` and by commands that write JSON lines.
"""

import codecs
import json
import re
import sys
import unicodedata

_OBEYED = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Controls, and what turns lines or their direction: JSON and TOML may hold them as they are."""
_WIDE = ("W", "F")
"""Unicode's East Asian Width of characters that take two columns of a terminal (UAX 11)."""


def is_unicode() -> bool:
    """Tell whether stdout can write every character."""
    return codecs.lookup(_encoding()).name.startswith("utf")


def as_json(value: object, *, indent: int | None = None) -> str:
    """Write ``value`` as JSON."""
    return _harmless(json.dumps(value, ensure_ascii=not is_unicode(), indent=indent))


def as_yaml(value: object) -> str:
    """Write ``value`` as YAML."""
    import yaml  # only who asks for it pays for it

    text: str = yaml.safe_dump(value, allow_unicode=is_unicode(), sort_keys=False)
    if _OBEYED.search(text):  # YAML lets some of it stand
        text = yaml.safe_dump(value, allow_unicode=False, sort_keys=False)
    return text.rstrip()


def as_toml(text: str) -> str:
    """Write a string as TOML: as JSON, but that TOML takes no surrogates."""
    written = _harmless(json.dumps(text, ensure_ascii=False))
    if is_unicode():
        return written
    return "".join(it if it.isascii() else f"\\U{ord(it):08x}" for it in written)


def _harmless(written: str) -> str:
    """Escape what a terminal would obey: in strings, for JSON and TOML have it nowhere else."""
    return _OBEYED.sub(lambda it: f"\\u{ord(it[0]):04x}", written)


def writable(text: str) -> str:
    """Escape the characters that stdout would escape when it is too late."""
    if text.isascii() or is_unicode():
        return text
    encoding = _encoding()
    return text.encode(encoding, "backslashreplace").decode(encoding)


def visible(text: str) -> str:
    """Escape what moves the cursor, or does worse."""
    if text.isprintable():
        return text
    return "".join(it if it.isprintable() else it.encode("unicode_escape").decode() for it in text)


def width(text: str) -> int:
    """Count the columns of a terminal that ``text`` takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"
