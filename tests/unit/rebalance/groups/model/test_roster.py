"""The roster: cards that say what the entries say, however they came about."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Member
from rebalance.groups.model.roster import DraftedRoster, Roster, Trait
from rebalance.groups.model.subscriptions import popped_by, wish_of
from rebalance.ids import Incarnation, MemberId, Millis, Pattern, TopicName

NAMES = st.sampled_from([MemberId(name) for name in "abcd"])
MEMBERS = st.builds(
    Member,
    incarnation=st.just(Incarnation("1")),
    sequence=st.just(0),
    topics=st.frozensets(st.sampled_from([TopicName("orders"), TopicName("payments")])),
    session_timeout_ms=st.just(Millis(10_000)),
    revocation_timeout_ms=st.just(Millis(60_000)),
    mode=st.sampled_from(Mode),
    eager=st.booleans(),
    draining=st.booleans(),
    resting_until=st.none() | st.just(Millis(5)),
    patterns=st.frozensets(st.just(Pattern("audit-*"))),
    pops=st.frozensets(st.just(TopicName("orders"))),
)
ROSTERS = st.dictionaries(NAMES, MEMBERS)
REWRITTEN = st.dictionaries(NAMES, st.none() | MEMBERS)

Entries = dict[MemberId, Member]


@given(ROSTERS, st.lists(REWRITTEN, max_size=3))
def test_cards_kept_up_are_cards_written_anew(
    entries: Entries, steps: list[dict[MemberId, Member | None]]
) -> None:
    """Whether the cards were carried from step to step or read off the entries: no difference."""
    roster = Roster(entries)
    for written in steps:
        asked = frozenset[TopicName]().union(*(topics for topics, _ in roster.wishes))
        assert all(topics <= asked for topics, _ in roster.owners_wishes)
        roster = roster.rewritten(written)

        assert Roster(dict(roster)).cards == roster.cards


@given(ROSTERS, REWRITTEN)
def test_the_roll_finds_what_a_walk_past_everybody_finds(
    entries: Entries, written: dict[MemberId, Member | None]
) -> None:
    """Who is unlike the others, and what is asked for, in the middle of a step."""
    drafted = DraftedRoster(entries)
    for name, member in written.items():
        if member is None:
            drafted.remove(name)
        else:
            drafted.put(name, member)
    now, everybody = drafted.merged(), dict(drafted.items())

    assert {name for name, it in everybody.items() if not it.owns} == now.those(Trait.OWNS_NOTHING)
    assert {name for name, it in everybody.items() if it.draining} == now.those(Trait.DRAINING)
    assert {name for name, it in everybody.items() if it.patterns} == now.those(Trait.PATTERNED)
    assert {name for name, it in everybody.items() if it.resting_until} == now.those(Trait.RESTING)
    assert {(it.topics, it.patterns) for it in everybody.values()} == now.wishes
    owners = [it for it in everybody.values() if it.owns]
    assert {(it.topics - popped_by(it), it.patterns) for it in owners} == now.owners_wishes
    assert {name for name, it in everybody.items() if popped_by(it)} == now.those(Trait.POPPING)


@given(ROSTERS, st.lists(st.tuples(NAMES, st.none() | MEMBERS), max_size=8), st.data())
def test_an_agreement_is_as_if_it_were_written_of_each(
    entries: Entries, written: list[tuple[MemberId, Member | None]], data: st.DataObject
) -> None:
    """Whoever looks, at one or at all, sees what all eager members want by now."""
    drafted, plain = DraftedRoster(entries), dict(entries)
    for name, member in written:
        if member is None:
            drafted.remove(name)
            plain.pop(name, None)
            continue
        drafted.put(name, member)
        plain[name] = member
        if member.eager and data.draw(st.booleans()):
            wish = wish_of(member)
            others = {who for who, it in plain.items() if it.eager and wish_of(it) != wish}
            plain |= {who: replace(plain[who], topics=wish[0], patterns=wish[1]) for who in others}
            assert bool(others) == drafted.agree(wish)
        if data.draw(st.booleans()):
            assert plain == dict(drafted.items())
            assert {wish_of(it) for it in plain.values()} == drafted.merged().wishes
        assert plain.get(name) == drafted.get(name)
        assert Counter(wish_of(it) for it in plain.values() if it.eager) == drafted.table
        assert all(drafted.demand.names(topic) for it in plain.values() for topic in it.topics)

    assert plain == dict(drafted.merged())
    assert {name: plain.get(name) for name in drafted.written} == dict(drafted.written)
