"""An eject in a cluster whose producers send seldom, or not for hours."""

import pytest

from tests.builders.cluster_story import FAILS, ClusterStory, sights


def test_an_eject_is_said_again_until_it_ends_though_nobody_reports() -> None:
    """Once a minute: after three of silence readers obey none."""
    story, said = ClusterStory(), list[tuple[int, bool]]()
    story.sweep()
    story.command("a", available=False, lasting=300_000)
    for _ in range(7):
        before = len(story.issued("a"))
        for _ in range(6):
            story.pass_time(10_000)
        said.append((len(story.issued("a")) - before, story.verdict("a").available))

    assert [(1, False)] * 4 == said[:4]
    assert [(0, True)] * 2 == said[5:]


@pytest.mark.parametrize("broker", ["a", "f"], ids=["known by reports", "known by the command"])
def test_an_eject_holds_for_hours_though_nobody_reports(broker: str) -> None:
    """Nobody says of the others that they are gone, nor does one who has to do with it alone."""
    story = ClusterStory()
    story.sweep()
    story.pass_time(50 * 60_000)
    story.command(broker, available=False, lasting=3 * 3_600_000)
    for minute in range(150):
        if minute == 100:
            story.report("r0", *sights({broker: FAILS}))
        story.pass_time(60_000)

        assert broker == story.out
    story.command(broker, available=True)
    story.pass_time(3_600_001)
    assert {} == story.cluster.brokers
