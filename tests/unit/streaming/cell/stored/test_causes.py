"""Each kind of cause has a number."""

import pytest

from rebalance.causes import Cause, CauseKind
from streaming.cell.stored.causes import cause, cause_form
from tests.builders.filled import filled


@pytest.mark.parametrize("kind", CauseKind)
def test_every_kind_has_a_number(kind: CauseKind) -> None:
    """A kind that is new needs one; none is given twice."""
    whole = filled(Cause)
    why = Cause(kind, whole.subject, whole.position, whole.detail)

    assert why == cause(cause_form(why))
