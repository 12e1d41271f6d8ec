"""A member with a guard: what that is told and when, by the engine."""

from collections.abc import Callable, Iterator

import pytest

from tests.builders.application import ONE, WAIT_S, Application, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import Grant
from trimtab.callbacks import Callbacks
from trimtab.engine import Engine
from trimtab.errors import GuardError
from trimtab.guarding import Guard
from trimtab.holdings import Holdings
from trimtab.options import read_profile
from trimtab.session import Profile


class Told(Guard):
    """The member's side of a guard, without the process."""

    def __init__(self, *, stands: bool = True) -> None:
        self.kept: list[Holdings] = []
        self.dismissed = False
        self._stands = stands

    def start(self, report: Callable[[GuardError], object]) -> bool:
        """There is none."""
        if not self._stands:
            report(GuardError("there is none"))
        return self._stands

    def has_spoken(self) -> bool:
        """It says nothing."""
        return False

    def keep(self, holdings: Holdings) -> None:
        """Note what is held."""
        if self.kept[-1:] != [holdings]:
            self.kept.append(holdings)

    def dismiss(self) -> None:
        """Note the farewell."""
        self.dismissed = True

    def named(self) -> list[tuple[int, int, int | None]]:
        """What was kept last, in short."""
        return named(self.kept[-1]) if self.kept else []


def named(holdings: Holdings) -> list[tuple[int, int, int | None]]:
    """Each queue, its epoch and the next."""
    return [(it.id, it.epoch, it.next) for it in holdings.queues]


@pytest.fixture
def guard() -> Told:
    """A guard that is only told."""
    return Told()


def engine_of(kafka: MemoryTransport, calls: Callbacks, guard: Guard) -> Engine:
    """A member under a guard."""
    profile: Profile = read_profile({"group": GROUP, "topics": ["orders"], "member_id": "m"})
    return Engine(profile, kafka, calls, guard)


@pytest.fixture
def engine(kafka: MemoryTransport, application: Application, guard: Told) -> Iterator[Engine]:
    """A member under that guard."""

    def begin(grants: tuple[Grant, ...]) -> None:
        assert {it.queue for it in grants} <= {it.queue for it in guard.kept[-1].queues}
        application.on_assigned(grants)

    calls = Callbacks(begin, application.on_revoked, application.on_lost, application.on_error)
    engine = engine_of(kafka, calls, guard)
    engine.start()
    yield engine
    engine.stop(0)
    assert engine.join(WAIT_S)


def test_the_guard_knows_what_is_worked_on_before_the_application_hears(
    engine: Engine, kafka: MemoryTransport, application: Application, guard: Told
) -> None:
    """And what comes next, also when only that has changed; until Kafka has the release."""
    kafka.assign(1, hold=[(0, 1, 2)])
    until(lambda: application.told("assigned") == [(ONE,)])
    assert [(0, 1, 2)] == guard.named()
    kafka.assign(2, hold=[(0, 1, 3)])
    until(lambda: guard.named() == [(0, 1, 3)])
    kafka.assign(3, give=[(0, 1, 4)])
    until(lambda: guard.named() == [])

    assert (1, None) == (len(releases(kafka)), engine.failure)
    assert [(0, 1, 4)] in list(map(named, guard.kept))


def test_a_member_that_leaves_in_good_order_says_farewell(
    engine: Engine, kafka: MemoryTransport, guard: Told
) -> None:
    """There is nothing to guard any more."""
    kafka.assign(1, hold=[(0, 1, 2)])
    until(engine.working)
    engine.stop(1_000)

    assert engine.join(WAIT_S)
    assert guard.dismissed


def test_a_member_that_fails_is_guarded_until_its_process_ends(
    kafka: MemoryTransport, guard: Told
) -> None:
    """Whether its application has stopped is not known before that; then it has."""

    def fail(_: tuple[Grant, ...]) -> None:
        raise ValueError

    engine = engine_of(kafka, Callbacks(fail), guard)
    engine.start()
    kafka.assign(1, hold=[(0, 1, 2)])
    assert engine.join(WAIT_S)

    assert ([(0, 1, 2)], False) == (guard.named(), guard.dismissed)


@pytest.mark.parametrize("stands", [True, False])
def test_a_member_says_when_it_joins_whether_it_is_guarded(
    kafka: MemoryTransport, application: Application, *, stands: bool
) -> None:
    """Whoever looks at the group sees it; without one, the member works all the same."""
    calls = Callbacks(on_error=application.on_error)
    engine = engine_of(kafka, calls, Told(stands=stands))
    engine.start()
    join = kafka.joined()
    kafka.assign(1, hold=[(0, 1, 2)])
    until(engine.working)
    engine.stop(0)
    assert engine.join(WAIT_S)

    assert (stands or None, not stands) == (join.guarded, bool(application.told("error")))
