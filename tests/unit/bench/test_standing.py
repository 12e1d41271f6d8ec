"""The bench of the standing heirs measures what it says, in a small group."""

from bench.standing.__main__ import figures


def test_every_figure_is_there() -> None:
    """Ten members with two queues each: no change of the group changes more than two shares."""
    found = figures(members=10, queues=20, changes=6)

    assert found["join_changes"] <= 4
    assert found["leave_changes"] <= 2 * 3
    assert 0 < found["most_looked"]
    assert all(figure >= 0 for figure in found.values())
