"""A history is what happened, in order, by files of several processes.

What one process notes of another may be noted too early.
"""

from chaos.history import deaths_last
from tests.builders.histories import at


def test_who_is_killed_may_have_had_a_message_since_the_kill_was_noted() -> None:
    """The note comes first; a life that ends by itself has no such excuse."""
    late = at(3.0004, "m0.1", "began", queue=1, token=3)
    killed = deaths_last([late, at(3, "m0.1", "killed"), at(1, "m0.1", "began", token=1)])
    ended = deaths_last([late, at(3, "m0.1", "ended")])
    undead = deaths_last([at(5, "m0.1", "began", token=3), at(3, "m0.1", "killed")])

    assert ["began", "began", "killed"] == [it.kind for it in killed]
    assert late.at + 1 == killed[-1].at
    assert ["ended", "began"] == [it.kind for it in ended]
    assert ["killed", "began"] == [it.kind for it in undead]
