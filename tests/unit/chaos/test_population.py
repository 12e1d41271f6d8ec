"""What a population that comes in one batch may be told, and what not."""

import pytest

from chaos.population import contradictions
from tests.builders.sessions import assignment
from trimtab.protocol import encode

HOLDS = encode(assignment(3, hold=[(0, 3, None)]))
NAMES_AN_HEIR = encode(assignment(4, hold=[(0, 3, 4)]))
HOLDS_NOTHING, HOLDS_ANOTHER = encode(assignment(3)), encode(assignment(4, hold=[(1, 4, None)]))

WRONG = {
    "two records under one epoch": [HOLDS, HOLDS_NOTHING],
    "another queue than before": [HOLDS, HOLDS_ANOTHER],
    "it is gone": [HOLDS, None],
}


@pytest.mark.parametrize("said", [[HOLDS], [HOLDS, HOLDS], [HOLDS, NAMES_AN_HEIR, HOLDS]])
def test_a_repeated_batch_and_an_heir_fit(said: list[bytes]) -> None:
    """The same bytes again, and a later record of the same queues, which says who comes next."""
    assert [] == list(contradictions(said))


@pytest.mark.parametrize("said", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_found(said: list[bytes | None]) -> None:
    """Nothing moves because a controller has died."""
    assert list(contradictions(said))
