"""What published records say of one queue, record by record."""

import pytest

from rebalance.groups.handover.pages import Claim, page_of
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Epoch, Millis, Tenure
from tests.builders.notation import life, page_text

ASKED = Asked(Epoch(9), Millis(0))


def claim(text: str, told: int, *, inherits: str = "") -> Claim:
    """Read what a record says: ``a@3`` or, when it is to give, ``a@3!``."""
    whose, epoch = life(text.split("@", maxsplit=1)[0]), text.split("@")[1]
    source = None
    if inherits:
        giver, _, since = inherits.partition("@")
        source = Tenure(life(giver), Epoch(int(since)))
    given = epoch.endswith("!")
    return Claim(Epoch(int(epoch.rstrip("!"))), Epoch(told), whose, given, source)


@pytest.mark.parametrize(
    ("claims", "page"),
    [
        pytest.param([claim("a@1", 4)], "a@1", id="held"),
        pytest.param([claim("a@1!", 4)], "a@1!4", id="to be let go"),
        pytest.param(
            [claim("a@1!", 4), claim("b@4", 4, inherits="a@1")], "a@1!4 > b@4", id="handed over"
        ),
        pytest.param(
            [claim("a@1", 3), claim("b@4", 4, inherits="a@1")],
            "a@1!9 > b@4",
            id="the holder was not told any more",
        ),
        pytest.param([claim("b@4", 4, inherits="a@1")], "b@4", id="whoever it waits for is gone"),
        pytest.param([claim("a@1!", 4), claim("b@4", 5)], "b@4", id="confirmed"),
        pytest.param(
            [claim("a@1", 5), claim("b@4", 4)], "a@1!9 > b@4!9", id="both say that they hold"
        ),
        pytest.param(
            [claim("a@1!", 4), claim("b@4!", 5)], "a@1!4 > b@4!5", id="both are to let go"
        ),
        pytest.param(
            [claim("a@1!", 4), claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="b@4")],
            "b@4!9 > c@6",
            id="the heir became holder and was not told",
        ),
        pytest.param(
            [claim("a@1!", 4), claim("b@4", 4, inherits="a@1"), claim("c@6", 6, inherits="a@1")],
            "a@1!4 > c@6",
            id="the heir was replaced and was not told",
        ),
        pytest.param([claim("a@4", 4), claim("b@4", 5)], "b@4", id="one epoch twice"),
    ],
)
def test_what_records_say_of_a_queue(claims: list[Claim], page: str) -> None:
    """The latest grant says most; whoever may be working stays on the page."""
    assert page == page_text(page_of(claims, ASKED))
    assert page == page_text(page_of(claims[::-1], ASKED))
