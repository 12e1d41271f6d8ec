"""A company: real sessions of the SDK that live with a story, over a Kafka that never fails.

    company = Company(Story(policy=Policy(standing_heirs=True)), "abc")
    company.story.reads(routed("orders", 6))
    company.works(seconds=20)

Each second everybody reads what there is and says what it has to, and the controller reads that as
one batch, if it is not away. Applications let go at once. Who reads late reads its last record.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

from rebalance.groups.model.decisions import Freed
from rebalance.groups.model.events import Event
from rebalance.ids import MemberId
from rebalance.stamp import Stamp
from sinks import assignments, releases
from sinks.contract import Outlet
from streaming.wire.translation import event_of
from tests.builders.records import MemberRecord, joined
from tests.builders.records import Record as AnyRecord
from tests.builders.sessions import MINE, a_session
from tests.builders.story import TICK_MS, Story, only
from trimtab.protocol import ASSIGNMENTS, RELEASES, TOPICS, Record, Release, decode
from trimtab.session import Action, MemberSession, Send

_OUTLET = Outlet("", partitions=1)


class Company:
    """Sessions, and the story that they live with."""

    def __init__(self, story: Story, names: Iterable[str]) -> None:
        self.story = story
        self.sessions = {name: a_session(name, now=story.wall) for name in names}
        self.away = False
        """The controller reads nothing."""
        self._unread: list[AnyRecord] = []
        self._log: list[Release] = []
        """The releases that nobody has read yet."""
        self._lives = 0

    def works(self, *, seconds: int) -> None:
        """Let time go by."""
        for _ in range(seconds):
            self.story.wall += TICK_MS
            said, self._log = self._log, []
            records = [
                record
                for session in self.sessions.values()
                for record in self._done(session, self._heard(session, said))
            ]
            self._log += [record for record in records if isinstance(record, Release)]
            self._unread += (partial(_event, record) for record in records)
            if self.away:
                continue
            if self._unread:
                self.story.reads(*self._unread)
                self._unread.clear()
            else:
                self.story.ticks()
            for freed in only(Freed, self.story.decided):
                value = releases.freed(freed, _OUTLET).value
                assert value is not None, "a release is no tombstone"
                self._log.append(decode(RELEASES, value))

    def leaves(self, name: str) -> None:
        """A member is asked to leave, and has all the time that it wants."""
        self._tell(self.sessions[name].stop(self.story.wall, timeout_ms=1_000_000), name)

    def returns(self, name: str) -> None:
        """A new life of a member begins."""
        self._lives += 1
        life = f"{int(MINE[:13]) + self._lives:013d}-00000001"
        self.sessions[name] = a_session(name, life, now=self.story.wall)

    def at_work(self) -> dict[int, list[str]]:
        """Return who works on each queue."""
        working: dict[int, list[str]] = defaultdict(list)
        for name, session in self.sessions.items():
            for grant in session.working:
                working[grant.queue.id].append(name)
        return working

    def _tell(self, actions: list[Action], name: str) -> None:
        records = list(self._done(self.sessions[name], actions))
        self._log += [record for record in records if isinstance(record, Release)]
        self._unread += (partial(_event, record) for record in records)

    def full(self, name: str, *, queues: int) -> MemberRecord:
        """A member says that it can carry no more than so many."""
        return joined(f"{name}:{MINE}", sequence=100 + self.story.offset, capacity=queues)

    def _heard(self, session: MemberSession, said: Iterable[Release]) -> list[Action]:
        """Read the releases, and the last record, and find that this is all."""
        now = self.story.wall
        actions = [action for release in said for action in session.hear(release, now)]
        issued = self.story.records.get(MemberId(session.profile.member))
        if issued is not None and issued.epoch > session.epoch:
            value = assignments.issued(issued, _OUTLET).value
            assert value is not None, "it was not withdrawn"
            actions += session.receive(decode(ASSIGNMENTS, value), now)
        return actions + session.caught_up(now, now)

    def _done(self, session: MemberSession, actions: list[Action]) -> Iterator[Record]:
        """Have everything done that a session wants; Kafka takes what it sends."""
        now = self.story.wall
        while actions:
            for it in _sends(actions):
                yield decode(TOPICS[it.topic], it.value)
            answers = session.finish(dict.fromkeys(session.revoking), now)
            for it in _sends(actions):
                answers += session.acknowledged(it.ticket, now)
            actions = answers


def _sends(actions: Iterable[Action]) -> list[Send]:
    """The records among the actions."""
    return [action for action in actions if isinstance(action, Send)]


def _event(record: Record, stamp: Stamp) -> Event:
    event = event_of(record, stamp)
    assert isinstance(event, Event), "members find nothing"
    return event
