"""How a member says that it had to take itself for dead."""

from trimtab.relapses import MEMORY_MS, Relapses
from trimtab.session import Unheard

UNHEARD, UNREAD = Unheard(8_000, 5_000), Unheard(100, 8_000)


def test_it_says_what_failed() -> None:
    """Writing or reading, and nothing of a cause that is not known."""
    told = [Relapses().told(it, 0) for it in (UNHEARD, UNREAD)]

    assert [
        "no heartbeat has reached Kafka for 8.0 s: the member joins again",
        "the log could not be read to its end for 8.0 s: the member joins again",
    ] == told


def test_it_says_why() -> None:
    """The last trouble, and how old it is; what is very old is not the cause."""
    relapses = Relapses()
    relapses.failed("an old leader", 1_000)

    assert "(last trouble, 0.5 s ago: an old leader)" in relapses.told(UNREAD, 1_500)
    assert "trouble" not in relapses.told(UNREAD, 1_001 + MEMORY_MS)


def test_it_says_how_often() -> None:
    """As far as they belong together."""
    relapses = Relapses()
    told = [relapses.told(UNREAD, at) for at in (0, 8_000, 16_000)]

    assert "again, 2 times in 8.0 s" in told[1]
    assert told[2].endswith("the member joins again, 3 times in 16.0 s")
    assert relapses.told(UNREAD, 16_001 + MEMORY_MS).endswith("the member joins again")
