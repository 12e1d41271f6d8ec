"""How hard the laws are tried: as the Hypothesis profile says (tests/conftest.py).

`make check` takes the profile *quick*, `make test` *thorough*, and a night's run *deep*:
`pytest tests/laws --hypothesis-profile=deep`. Some laws promise more than a quick look, and
some groups of laws are only for the night.
"""

from typing import Final

from hypothesis import settings

EXAMPLES: Final = settings().max_examples

QUICK: Final = EXAMPLES < 500

DEEP: Final = EXAMPLES >= 20_000


def tried(least: int = 50, one_in: int = 1) -> settings:
    """Return the profile's settings, with no fewer cases than ``least``.

    Laws whose cases are long take one in so many of the profile's.
    """
    return settings(max_examples=max(least, EXAMPLES // one_in))


def seeds(count: int) -> range:
    """Return so many seeds, or for a quick look the first quarter of them."""
    return range(count // 4 if QUICK else count)
