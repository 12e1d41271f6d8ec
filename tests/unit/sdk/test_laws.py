"""Laws of a session, whatever a controller, a log or a clock may come up with."""

from dataclasses import dataclass, field
from typing import assert_never

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders.sessions import MINE, OTHERS, a_release, a_session, assignment, queue, sent
from trimtab.protocol import Assignment, QueueRef, Release
from trimtab.session import Action, Assigned, Grant, Lost, MemberSession, Revoked

NUMBERS = st.integers(0, 2)
EPOCHS = st.integers(1, 9)
CLAIMS = st.tuples(NUMBERS, EPOCHS, EPOCHS)
"""A release: of which queue, under which epoch, and what comes next."""
VERBS = st.dictionaries(
    NUMBERS, st.tuples(st.sampled_from(["hold", "give", "inherit"]), EPOCHS, EPOCHS), max_size=3
)


@st.composite
def any_assignment(draw: st.DrawFn) -> Assignment:
    """Orders that make no sense but keep the contract."""
    said = draw(VERBS)
    return assignment(
        draw(st.integers(1, 12)),
        hold=[(number, epoch, to) for number, (verb, epoch, to) in said.items() if verb == "hold"],
        give=[(number, epoch, to) for number, (verb, epoch, to) in said.items() if verb == "give"],
        inherit=[
            (number, epoch, "a", source)
            for number, (verb, epoch, source) in said.items()
            if verb == "inherit"
        ],
        incarnation=draw(st.sampled_from([MINE, MINE, MINE, "1767225500000-00000000"])),
    )


RELEASED = st.tuples(CLAIMS, st.sampled_from([("a", OTHERS), ("m", MINE)])).map(
    lambda it: a_release(it[1][0], (*it[0][:2], 42, it[0][2]), incarnation=it[1][1])
)
"""Of another member, or in the name of this one."""
FINISHED = st.just("finish")
NEWS = st.lists(
    any_assignment() | RELEASED | FINISHED | st.none() | st.integers(0, 9_000), max_size=15
)
"""Assignments, releases, an application that has stopped, tombstones, and time that passes."""


@dataclass
class Application:
    """Does as it is told, and notices when that makes no sense."""

    working: dict[QueueRef, Grant] = field(default_factory=dict)
    stopping: dict[Grant, None] = field(default_factory=dict)
    released: dict[tuple[str, QueueRef], int] = field(default_factory=dict)
    """By life and queue, the largest epoch that was released, by whomever."""

    def read(self, release: Release) -> None:
        """Take note of a release that stands in the log."""
        for row in release.queues:
            life = release.incarnation, row.queue
            self.released[life] = max(row.epoch, self.released.get(life, 0))

    def obey(self, session: MemberSession, actions: list[Action]) -> None:
        """Take note of what is assigned, revoked, lost and released."""
        for action in actions:
            if isinstance(action, Assigned | Revoked | Lost):
                for grant in action.grants:
                    self.hear(session, action, grant)
        for release in sent(Release, actions):
            self.read(release)

    def hear(self, session: MemberSession, change: Assigned | Revoked | Lost, grant: Grant) -> None:
        """Start, begin to stop, or drop."""
        match change:
            case Assigned():
                assert grant.queue not in self.working, "assigned twice"
                assert grant.token > self.released.get((session.incarnation, grant.queue), 0)
                self.working[grant.queue] = grant
            case Revoked():
                assert self.working[grant.queue] == grant, "revoked what it had not"
                self.stopping[grant] = None
            case Lost():
                assert self.working.pop(grant.queue) == grant, "lost what it had not"
                self.stopping.pop(grant, None)
            case _:
                assert_never(change)

    def finish(self) -> dict[Grant, int | None]:
        """Stop working on what was revoked."""
        finished: dict[Grant, int | None] = dict.fromkeys(self.stopping)
        for grant in finished:
            del self.working[grant.queue]
        self.stopping.clear()
        return finished


def play(news: list[Assignment | Release | str | int | None]) -> tuple[MemberSession, Application]:
    """Let a session live through all that, with an application that obeys."""
    session, application, now = a_session(), Application(), 0
    for event in [0, *news]:
        match event:
            case Assignment() | None:
                actions = session.receive(event, now)
            case Release():
                if event.member == session.profile.member:
                    application.read(event)
                actions = session.hear(event, now)
            case int():
                now += event
                actions = session.tick(now)
            case _:
                actions = session.finish(application.finish(), now)
        application.obey(session, actions)
    return session, application


@settings(max_examples=50)
@given(news=NEWS)
def test_the_application_is_always_told_something_it_can_do(
    news: list[Assignment | Release | str | int | None],
) -> None:
    """Assigned, then revoked and finished, or lost; never under an epoch that was released."""
    session, application = play(news)

    working = {it.queue: it for it in (*session.working, *session.revoking)}
    assert working == application.working
    for grant in session.working:
        assert grant.token > application.released.get((session.incarnation, grant.queue), 0)


@settings(max_examples=50)
@given(news=NEWS, again=st.lists(st.integers(0, 14), max_size=5))
def test_reading_old_assignments_again_changes_nothing(
    news: list[Assignment | Release | str | int | None], again: list[int]
) -> None:
    """A log may be read twice, and out of date."""
    session, _ = play(news)
    before = session.epoch, session.revoking, session.working
    old = [news[at] for at in again if at < len(news)]
    for record in old:
        if isinstance(record, Assignment) and record.epoch <= session.epoch:
            assert [] == session.receive(record, 0)

    assert before == (session.epoch, session.revoking, session.working)


@settings(max_examples=50)
@given(claims=st.lists(CLAIMS, max_size=12), first=st.integers(0, 12))
def test_it_does_not_matter_what_is_heard_first(
    claims: list[tuple[int, int, int]], first: int
) -> None:
    """Releases heard before the assignment count as those heard after, and of each the first."""
    wanted = assignment(10, inherit=[(number, 10, "a", number + 3) for number in range(3)])
    early, late = a_session(), a_session()
    late.receive(wanted, 0)
    for at, claim in enumerate(claims):
        if at == first:
            early.receive(wanted, 0)
        for session in (early, late):
            session.hear(a_release("a", (*claim[:2], None, claim[2] + 5)), 0)
    early.receive(wanted, 0)

    assert late.working == early.working
    firsts = {claim[:2]: claim[2] + 5 for claim in reversed(claims)}
    due = {queue(number) for number in range(3) if firsts.get((number, number + 3)) == 10}
    assert due == {grant.queue for grant in early.working}
