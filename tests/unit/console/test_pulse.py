"""Whether a controller ticks is seen in the log, whatever the clock here says."""

from collections.abc import Mapping

import pytest

from console import pulse
from console.published import Published
from console.pulse import Glimpses, felt
from console.settings import load
from tests.unit.console.views.published_records import LIFE, START_MS
from trimtab.protocol import Tick

PARTITIONS = 3


class Log:
    """Heartbeats: some partitions get a tick each second, others do not any more."""

    def __init__(self) -> None:
        self.now_ms = START_MS
        self.stopped_ms: dict[int, int] = {}
        """When ticks stopped, by partition."""
        self.unled: int | None = None
        """A partition without a leader."""
        self.waits = 0
        self.asked: list[int | Mapping[int, int]] = []
        """From when or where on it was read."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ms += round(seconds * 1_000)
        self.waits += 1

    def ends(self, *_: object) -> dict[int, int | None]:
        """Let an offset be the moment of its tick."""
        return {it: None if it == self.unled else self.now_ms for it in range(PARTITIONS)}

    def ticks(self, since: int | Mapping[int, int]) -> dict[int, tuple[int, Tick]]:
        """Find the newest tick of each partition, unless it is older than asked for."""
        self.asked.append(since)
        last = {it: self.stopped_ms.get(it, self.now_ms - 400) for it in range(PARTITIONS)}
        return {
            it: (at_ms, Tick(controller="c", number=1, start=LIFE))
            for it, at_ms in last.items()
            if it != self.unled
            and at_ms >= (since if isinstance(since, int) else since.get(it, self.now_ms))
        }


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    """One in which all partitions get ticks."""
    log = Log()
    monkeypatch.setattr(pulse, "ends", log.ends)
    monkeypatch.setattr(pulse, "time", log)
    monkeypatch.setattr(Published, "ticks", lambda _, since: log.ticks(since))
    return log


@pytest.fixture
def published() -> Published:
    """Of some cluster."""
    return Published(
        load(key_values=["kafka.bootstrap_servers=nowhere:1"], environment={}).settings
    )


@pytest.mark.parametrize("off_s", [-3_600, -20, 0, 5, 20, 3_600])
def test_a_controller_that_ticks_is_well_by_every_clock(
    log: Log, published: Published, off_s: int
) -> None:
    """A laptop that is an hour off accuses nobody; where it is right nobody waits."""
    ticks, silent, _ = felt(published, START_MS + off_s * 1_000)

    assert (PARTITIONS, []) == (len(ticks), [*silent])
    assert (0 if off_s in {0, 5} else 1) == log.waits


@pytest.mark.parametrize("off_s", [-3_600, -60, 0, 3_600])
def test_one_that_is_dead_is_found_by_every_clock(
    log: Log, published: Published, off_s: int
) -> None:
    """A laptop that is behind would find its last tick young."""
    log.stopped_ms = dict.fromkeys(range(PARTITIONS), START_MS - 30_000)

    assert [*range(PARTITIONS)] == [*felt(published, START_MS + off_s * 1_000).silent]


@pytest.mark.parametrize("ago_s", [12, 300])
def test_a_partition_that_gets_no_ticks_is_named(
    log: Log, published: Published, ago_s: int
) -> None:
    """Nobody of its groups expires, and the newest tick of all says nothing about it."""
    log.stopped_ms = {1: START_MS - ago_s * 1_000}

    assert [1] == [*felt(published, START_MS).silent]


@pytest.mark.parametrize("ago_s", [12, 300])
def test_who_looks_all_the_time_does_not_wait(log: Log, published: Published, ago_s: int) -> None:
    """The next look comes in two seconds; and a partition that lags is seen at once."""
    log.stopped_ms = {1: START_MS - ago_s * 1_000}

    assert [1] == [*Glimpses(published).glimpse(START_MS + 20_000).silent]
    assert 0 == log.waits


def test_a_partition_without_a_leader_is_named(log: Log, published: Published) -> None:
    """Nobody can read it, and the others are looked at all the same."""
    log.unled = 1
    assert [1] == [*felt(published, START_MS).silent]

    glimpses = Glimpses(published)
    assert [1] == [*glimpses.glimpse(START_MS).silent]
    log.unled = None
    assert [] == [*glimpses.glimpse(START_MS).silent]


def test_who_looks_all_the_time_reads_what_is_new(log: Log, published: Published) -> None:
    """A minute of beats is much to read every two seconds; a tick that was seen stays seen."""
    glimpses = Glimpses(published)
    for _ in range(3):
        assert (PARTITIONS, []) == (
            len((seen := glimpses.glimpse(log.now_ms)).ticks),
            [*seen.silent],
        )
        log.now_ms += 2_000
    log.stopped_ms = {1: log.now_ms - 2_000}
    log.now_ms += 12_000

    assert [1] == [*glimpses.glimpse(log.now_ms).silent]
    ends = [dict.fromkeys(range(PARTITIONS), START_MS + it) for it in (0, 2_000, 4_000)]
    assert [START_MS - 5_000, *ends] == log.asked


def test_a_minute_is_read_only_where_there_is_no_young_tick(log: Log, published: Published) -> None:
    """Between two ticks stand all beats of a second: of a large cluster ten thousands."""
    felt(published, START_MS)
    log.stopped_ms = {1: START_MS - 20_000}
    ticks, silent, _ = felt(published, START_MS)

    assert [START_MS - it for it in (5_000, 5_000, 60_000)] == log.asked[:3]
    assert (PARTITIONS, [1]) == (len(ticks), [*silent])
