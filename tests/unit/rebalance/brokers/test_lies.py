"""What one liar cannot do, where it takes two and the honest ones say nothing of the broker.

Clients send nothing to a broker that is out of use, so its testers may be silent: then whatever a
liar says of it is all that is said. The quorum stands against that, in each decision anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import pytest

from rebalance.ids import BrokerName
from tests.builders.cluster_story import FAILS, FINE, ClusterStory, View, sights

C = BrokerName("c")


def all_say(those: Iterable[str], view: View) -> dict[str, View]:
    """These say this."""
    return dict.fromkeys(those, view)


def out_with_testers() -> tuple[ClusterStory, list[str]]:
    """A story in which a broker is out, and its testers."""
    story = ClusterStory()
    story.sweep({"c": FAILS})
    assert "c" == story.out
    return story, list(map(str, story.verdict("c").testers))


def test_one_tester_brings_no_broker_back() -> None:
    """However well it finds it: it is no quorum."""
    story, testers = out_with_testers()
    story.sweep(silent="c", lies={testers[0]: {"c": FINE}})
    assert "c" == story.out

    story.sweep(silent="c", lies=all_say(testers[:2], {"c": FINE}))
    assert "" == story.out


@pytest.mark.parametrize("ill", [1, 2])
def test_one_tester_keeps_no_broker_out(ill: int) -> None:
    """It comes back when its time is over; two who object prolong that."""
    story, testers = out_with_testers()
    story.sweep(silent="c", lies=all_say(testers[:ill], {"c": FAILS}), times=4)

    assert ("" if ill == 1 else "c") == story.out


@pytest.mark.parametrize("voices", [1, 2])
def test_one_reporter_enters_no_broker(voices: int) -> None:
    """There is room for it, but others would have to know it, too."""
    story = ClusterStory("ab")
    story.sweep(lies=all_say(story.reporters[:voices], {"z": FINE}))

    assert set("ab" if voices == 1 else "abz") == set(story.cluster.brokers)


def find_it(story: ClusterStory, here: int, elsewhere: int) -> None:
    """So many find the broker where it was, so many elsewhere, and the rest do not say."""
    places: list[Callable[[str], str]] = [
        *[lambda _: "c:1"] * here,
        *[lambda _: "c:2"] * elsewhere,
    ]
    for reporter, place in zip(story.reporters, places, strict=False):
        story.report(reporter, *sights({"c": FINE}, address=place))
    story.pass_time(story.policy.sweep_ms)


@pytest.mark.parametrize(
    ("here", "elsewhere", "found"),
    [(4, 3, "c:1"), (3, 3, "c:1"), (2, 5, "c:1"), (1, 3, "c:2"), (0, 1, "c:1"), (0, 2, "c:2")],
)
def test_it_takes_most_of_those_that_say_to_move_a_broker(
    here: int, elsewhere: int, found: str
) -> None:
    """And a quorum: else it keeps its address, its past and its record.

    So it does where a quorum still finds it: its producers may use two of its listeners.
    """
    story = ClusterStory(reporters=7)
    find_it(story, here=7, elsewhere=0)
    assert "c:1" == story.cluster.brokers[C].address
    find_it(story, here, elsewhere)

    broker = story.cluster.brokers[C]
    assert (found, found == "c:1") == (broker.address, len(broker.past) > 0)


@pytest.mark.parametrize("voices", [1, 2])
def test_one_reporter_makes_no_past(voices: int) -> None:
    """A broker that one says was always slow would be allowed to become so."""
    story = ClusterStory()
    sweep = partial(story.sweep, silent="c")
    sweep(lies=all_say(story.reporters[:2], {"c": FINE}))
    sweep(lies=all_say(story.reporters[:voices], {"c": 90.0}))

    assert (FINE, 90.0)[:voices] == story.cluster.brokers[C].past


def test_a_broker_with_two_listeners_is_one_broker() -> None:
    """Of those that it is tested by most may use the other one than those who took it out."""
    story = ClusterStory(reporters=10)
    outside = story.reporters[6:]
    story.sweep(astray=outside)
    story.sweep({"c": FAILS}, astray=outside)
    for _ in range(30):
        assert "c" == story.out
        broken = story.cluster.brokers[C].out
        assert broken is not None
        for reporter in story.reporters:
            view = dict.fromkeys("abde", FINE)
            if reporter in broken.testers:
                view["c"] = FAILS
            address: Callable[[str], str] = "{}:9".format if reporter in outside else str
            story.report(reporter, *sights(view, address=address))
        story.pass_time(story.policy.sweep_ms)


@pytest.mark.parametrize(
    ("before", "later"),
    [
        ({"p1": 1, "p2": 1, "q1": 2}, {"p1": 1, "q1": 2, "liar": 2}),
        ({"p1": 1, "p2": 1, "p3": 1, "q1": 2, "q2": 2}, {"p1": 1, "q1": 2, "q2": 2}),
        ({"p1": 1, "p2": 1, "p3": 1, "q1": 2, "q2": 2}, {"q1": 2, "q2": 2}),
    ],
)
def test_another_listener_brings_no_broker_back(
    before: dict[str, int], later: dict[str, int]
) -> None:
    """Though most of its inner clients have gone, or need not send to it: no other one is there."""
    story = ClusterStory()

    def sweep(listeners: dict[str, int], view: View) -> None:
        for who, port in listeners.items():
            address = f"{{}}:{port}".format
            story.report(who, *sights({**dict.fromkeys("abde", FINE), **view}, address=address))
        story.pass_time(story.policy.sweep_ms)

    sweep(before, {"c": FINE})
    often = replace(story.cluster.brokers[C], ejections=3)
    story.cluster = replace(story.cluster, brokers={**story.cluster.brokers, C: often})
    sweep(before, {"c": FAILS})
    for _ in range(4):
        sweep(later, {"c": FAILS})
        broker = story.cluster.brokers[C]
        assert ("c", "c:1", 4) == (story.out, broker.address, broker.ejections)
