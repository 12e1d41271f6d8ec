"""The bench of the brain measures what it says: a group at rest, and then one thing."""

from bench.brain.__main__ import figures
from bench.brain.population import population, released, stepped


def test_what_is_timed_happens() -> None:
    """Beats change nothing; a join moves its share, and the releases complete it."""
    large = population(20)
    joined = stepped(large.state, large.join)
    settled = stepped(joined.state, released(joined)).state

    assert () == stepped(large.state, large.beats).decisions
    assert 21 == len({owned.holder.member for owned in settled.handover.books.values()})
    assert all(owned.asked is None for owned in settled.handover.books.values())
    assert 19 == len(stepped(large.state, large.leave).state.membership.members)


def test_every_figure_is_a_time() -> None:
    """None of them can be nothing."""
    assert all(figure > 0 for figure in figures(population(20), 20).values())
