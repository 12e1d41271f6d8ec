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


@pytest.mark.parametrize("brokers", ["ab", "abc"])
def test_one_that_is_gone_is_not_the_one_that_is_left(brokers: str) -> None:
    """All others can be ejected but for one: what was heard before says that it is gone."""
    story = ClusterStory(brokers)
    story.sweep()
    others, gone = brokers[:-1], brokers[-1]
    story.sweep(times=180, silent=gone)
    for broker in others:
        story.command(broker, available=False)
    spared = others[-1]

    assert others[:-1] == story.out
    assert story.verdict(spared).reason.startswith("spared, ")
    story.command(spared, available=False)
    story.sweep(times=30, silent=gone)
    assert spared not in story.out


def test_a_broker_that_a_command_makes_known_is_no_news_of_the_others() -> None:
    """Also if it is ejected again, after it was restored."""
    story = ClusterStory()
    story.sweep()
    story.pass_time(50 * 60_000)
    for available in (True, False, True, False):
        story.command("f", available=available, lasting=3_600_000)

    assert "f" == story.out
