"""A group under any sequence of what may happen to it, judged by the auditor after every step.

Where ``test_step`` throws whole logs at the brain, this machine lives with it: its members read
what they are told, obey when they feel like it, beat honestly or lie, come, restart, drain and go,
and Hypothesis looks for the shortest life that breaks an invariant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from audit.checker import Checker, Promises
from audit.history import Place, Ticked
from audit.silence import Blast
from audit.violations import Violation
from rebalance.groups.model.commands import Approve, Command, Pause, RebalanceNow, Resume
from rebalance.groups.model.decisions import Decision
from rebalance.groups.model.events import BeatSeen, Event, Moment
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis, Naming
from rebalance.stamp import Stamp
from tests.builders import entries
from tests.builders.effort import tried
from tests.builders.notation import naming_text, queue_text
from tests.builders.records import (
    Record,
    beat_of,
    commanded,
    drained,
    joined,
    left,
    released,
    routed,
)
from tests.builders.story import Story

NAMES = st.sampled_from("abcd")
POLICY = Policy(
    session_timeout_ms=Millis(5_000),
    session_timeout_ms_min=Millis(5_000),
    max_clock_step_ms=Millis(1_000),
    heartbeat_interval_ms=Millis(1_000),
    revocation_timeout_ms=Millis(8_000),
    blast_hold_ms=Millis(4_000),
    route_damping_ms=Millis(2_000),
    flap_half_life_ms=Millis(3_000),
)
FATES = ["dies", "is killed", "restarts", "leaves", "drains", "away"]
COMMANDS = st.sampled_from([Pause(), Resume(), RebalanceNow(), Approve()])


class AuditedStory(Story):
    """A story whose every word is shown to the auditor."""

    def __init__(self) -> None:
        super().__init__(policy=POLICY)
        blast = Blast(hold_ms=POLICY.blast_hold_ms)
        self.checker = Checker(
            Promises(max_clock_step_ms=POLICY.max_clock_step_ms, blast=blast, exact=True)
        )
        self.violations: list[Violation] = []

    def _stamp(self) -> Stamp:
        """A tick has a place of its own in the log: the auditor tells causes apart by theirs."""
        self.offset += 1
        return super()._stamp()

    def _step(self, events: Sequence[Moment], now: Stamp) -> list[Decision]:
        heard = [*self._freed(now), *events]
        decided = super()._step(events, now)
        self.violations += self._show(heard, now, decided)
        return decided

    def _show(
        self, events: Sequence[Moment], now: Stamp, decided: list[Decision]
    ) -> Iterator[Violation]:
        for event in events:
            if not isinstance(event, BeatSeen):  # all topics are one partition here
                yield from self.checker.take(Ticked(_place(event.stamp)))
            if isinstance(event, Event):
                yield from self.checker.take(entries.heard(event))
        if not events:
            yield from self.checker.take(Ticked(_place(now)))
        for decision in decided:
            entry = entries.published(decision, _place(now)._replace(topic="published"))
            if entry is not None:
                yield from self.checker.take(entry)
        yield from self.checker.batch_ends()


def _place(stamp: Stamp) -> Place:
    return Place(*stamp.position, stamp.appended)


class Group(RuleBasedStateMachine):
    """What may happen."""

    def __init__(self) -> None:
        super().__init__()
        self.story = AuditedStory()
        self.lives: dict[str, int] = {}
        """Who is there, in which life."""
        self.born = 0
        self.version = 1
        self.story.reads(joined("first", "orders payments"), routed("orders", 3))
        self.story.reads(left("first"))

    def who(self, name: str) -> str:
        """A member as the tests write it."""
        return f"{name}:{self.lives[name]}"

    def held(self, name: str) -> tuple[Naming, ...]:
        """What an honest member has, and who comes next."""
        issued = self.story.records.get(name)  # type: ignore[call-overload] # a plain string
        if issued is None or issued.incarnation != str(self.lives[name]):
            return ()
        return (*issued.portion.hold, *issued.portion.give)

    def owned(self, name: str) -> str:
        """What an honest member says that it has."""
        return " ".join(naming_text(naming._replace(next=None)) for naming in self.held(name))

    def guarded(self, name: str) -> Record:
        """What its guard says when it was killed."""
        said = released(self.who(name), " ".join(map(naming_text, self.held(name))))
        return lambda stamp: replace(said(stamp), own=False)

    def told(self, name: str) -> int:
        """The epoch of the assignment that it has read."""
        issued = self.story.records.get(name)  # type: ignore[call-overload] # a plain string
        return 0 if issued is None else issued.epoch

    @rule(name=NAMES, topics=st.sampled_from(["orders", "orders payments"]))
    def comes(self, name: str, topics: str) -> None:
        """Somebody comes, comes back as a younger life, or asks again."""
        if name not in self.lives:
            self.born += 1
            self.lives[name] = 10 + self.born
        self.story.reads(joined(self.who(name), topics))

    @precondition(lambda self: self.lives)
    @rule(data=st.data(), fate=st.sampled_from(FATES))
    def goes(self, data: st.DataObject, fate: str) -> None:
        """Somebody goes, one way or another."""
        name = data.draw(st.sampled_from(sorted(self.lives)))
        if fate == "leaves":
            self.story.reads(left(self.who(name)))
        elif fate == "away":
            self.story.reads(left(self.who(name), temporary=True))
        elif fate == "is killed":
            self.story.reads(self.guarded(name))
        elif fate == "drains":
            self.story.reads(drained(self.who(name)))
        if fate != "drains":
            del self.lives[name]
        if fate == "restarts":
            self.comes(name, "orders")

    @precondition(lambda self: self.lives)
    @rule(data=st.data(), honest=st.sampled_from([True, True, False]))
    def beats(self, data: st.DataObject, *, honest: bool) -> None:
        """Somebody says what it has, or lies."""
        name = data.draw(st.sampled_from(sorted(self.lives)))
        owned = self.owned(name) if honest else f"orders-{data.draw(st.integers(0, 3))}@1"
        self.story.reads(beat_of(self.who(name), epoch=self.told(name), owned=owned))

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def obeys(self, data: st.DataObject) -> None:
        """Somebody lets go what it was told to."""
        name = data.draw(st.sampled_from(sorted(self.lives)))
        if self.owned(name):
            self.story.obeys(self.who(name))

    @rule(topic=st.sampled_from(["orders", "payments"]), queues=st.integers(0, 4))
    def changes(self, topic: str, queues: int) -> None:
        """A topic is not what it was."""
        self.version += 1
        self.story.reads(routed(topic, queues, version=self.version, exists=queues > 0))

    @rule(seconds=st.sampled_from([0.5, 1, 3]), everybody=st.booleans())
    def waits(self, seconds: float, *, everybody: bool) -> None:
        """Time goes by; perhaps everybody beats meanwhile."""
        self.story.waits(seconds=seconds)
        if everybody and self.lives:
            self.story.reads(*(beat_of(self.who(name)) for name in sorted(self.lives)))

    @rule(command=COMMANDS)
    def operator_says(self, command: Command) -> None:
        """An operator gives a command."""
        self.story.reads(commanded(command))

    @invariant()
    def nothing_is_wrong(self) -> None:
        """The auditor has nothing to say."""
        assert [] == list(map(str, self.story.violations))

    def teardown(self) -> None:
        """Left in peace, the group comes to own what it was meant to."""
        self.operator_says(Resume())
        for _ in range(40):
            self.waits(0.5, everybody=True)
            for name in sorted(self.lives):
                self.obeys_now(name)
        self.nothing_is_wrong()
        meant = {
            queue_text(queue): str(name) for queue, name in self.story.state.target.owners.items()
        }
        assert meant == self.story.owners()
        assert not any(owned.moves for owned in self.story.state.handover.books.values())

    def obeys_now(self, name: str) -> None:
        """Let go, and say what is left; an orphan of an expiry comes again."""
        known = self.story.state.membership.members.get(name)  # type: ignore[call-overload] # a plain string
        if known is None or known.incarnation != str(self.lives[name]) or known.away:
            self.comes(name, "orders")
        if self.owned(name):
            self.story.obeys(self.who(name))


TestGroup = Group.TestCase
TestGroup.settings = settings(tried(one_in=4), stateful_step_count=30)
