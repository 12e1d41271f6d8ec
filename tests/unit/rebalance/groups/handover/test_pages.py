"""What published records say of one queue, record by record."""

import pytest

from rebalance.groups.handover.pages import RecordedGrant, page_of
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Epoch, Millis, Tenure
from tests.builders.notation import life, page_text

ASKED = Asked(Epoch(9), Millis(0))


def claim(text: str, told: int, *, inherits: str = "") -> RecordedGrant:
    """Read what a record says: ``a@3``, ``a@3!`` to give, ``a@3!>5`` to give and to name 5."""
    text, _, named = text.partition(">")
    who, _, epoch = text.partition("@")
    source = None
    if inherits:
        giver, _, since = inherits.partition("@")
        source = Tenure(life(giver), Epoch(int(since)))
    given, following = epoch.endswith("!"), Epoch(int(named)) if named else None
    return RecordedGrant(
        Epoch(int(epoch.rstrip("!"))), Epoch(told), life(who), given, following, source
    )


CLAIMS = {
    "held": ([claim("a@1", 4)], "a@1"),
    "to be let go": ([claim("a@1!", 4)], "a@1!4"),
    "held, and somebody is next": (
        [claim("a@1>4", 4), claim("b@4", 4, inherits="a@1")],
        "a@1 > b@4",
    ),
    "handed over": ([claim("a@1!>4", 4), claim("b@4", 4, inherits="a@1")], "a@1!4 > b@4"),
    "the heir is not found": ([claim("a@1!>4", 4)], "a@1!4"),
    "the holder was not told any more": (
        [claim("a@1", 3), claim("b@4", 4, inherits="a@1")],
        "a@1 / b@4",
    ),
    "whoever it waits for is gone": ([claim("b@4", 4, inherits="a@1")], "a@1!9x > b@4"),
    "whoever two wait for is gone": (
        [claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="a@1")],
        "a@1!9x > c@6 / b@4",
    ),
    "confirmed": ([claim("a@1!>4", 4), claim("b@4", 5)], "b@4"),
    "confirmed, and the one before was told later": ([claim("a@1", 5), claim("b@4", 4)], "b@4"),
    "confirmed, and to be let go": ([claim("a@1!", 4), claim("b@4!", 5)], "b@4!5"),
    "the heir became holder and was not told": (
        [claim("a@1!>4", 4), claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="b@4")],
        "b@4 / c@6",
    ),
    "the heir became holder and is gone": (
        [claim("a@1!>4", 4), claim("c@6", 6, inherits="b@4")],
        "b@4!9x > c@6",
    ),
    "another heir is named": (
        [claim("a@1!>6", 6), claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="a@1")],
        "a@1!6 > c@6 / b@4",
    ),
    "another heir is named and the holder was not told": (
        [claim("a@1!>4", 4), claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="a@1")],
        "a@1!4 > b@4 / c@6",
    ),
    "one epoch twice": ([claim("a@4", 4), claim("b@4", 5)], "b@4"),
}


@pytest.mark.parametrize(("claims", "page"), CLAIMS.values(), ids=CLAIMS.keys())
def test_what_records_say_of_a_queue(claims: list[RecordedGrant], page: str) -> None:
    """The latest grant that was confirmed says most; whoever may be working stays on the page."""
    assert page == page_text(page_of(claims, ASKED))
    assert page == page_text(page_of(claims[::-1], ASKED))
