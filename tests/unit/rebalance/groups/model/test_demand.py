"""Demand: counted along or counted anew, it says the same."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups.model.demand import Demand
from rebalance.groups.model.subscriptions import Wish, subscribed
from rebalance.ids import Pattern, TopicName

TOPICS = st.sampled_from([TopicName(name) for name in ("orders", "pay", "audit-a", "__own")])
PATTERNS = st.sampled_from([Pattern(text) for text in ("audit-*", "*", "pay?", "o*")])
SETS = st.frozensets(PATTERNS, max_size=3)
WISHES = st.tuples(st.frozensets(TOPICS, max_size=2), SETS)


@given(st.lists(WISHES, max_size=5), st.data())
def test_it_says_what_a_walk_past_all_wishes_says(wishes: list[Wish], data: st.DataObject) -> None:
    """Which topics somebody asks for, and which patterns there are."""
    demand, had = Demand({}), Counter[Wish]()
    for wish in wishes:
        demand.add(wish)
        had[wish] += 1
    for wish in data.draw(st.permutations(wishes))[: len(wishes) // 2]:
        demand.take(wish)
        had[wish] -= 1
    left = [wish for wish in had if had[wish]]
    topic, new = data.draw(TOPICS), data.draw(SETS)

    assert (topic in subscribed(left, frozenset())) == demand.names(topic)
    assert (topic in subscribed(left, frozenset({topic}))) == demand.covers(topic)
    assert frozenset[Pattern]().union(*(wild for _, wild in left)) == demand.patterns
    assert (len(left) > 1) == demand.differs

    own = data.draw(st.sampled_from(left)) if left else None
    others = had - Counter(() if own is None else [own])
    assert len(new.union(*(wild for _, wild in others))) == demand.patterns_with(own, new)


@given(st.lists(WISHES, min_size=1, max_size=5), TOPICS)
def test_what_may_be_wanted_no_more_is_doubted(wishes: list[Wish], written: TopicName) -> None:
    """Nothing else need be looked at; when a pattern is given up, everything."""
    demand = Demand(Counter(wishes))
    assert demand.doubted() is None

    demand.doubt(written)
    for wish in wishes[1:]:
        demand.take(wish)
    kept, doubted = wishes[:1], demand.doubted()
    gone = {topic for named, _ in wishes for topic in named} - subscribed(kept, frozenset())
    given_up = any(wild - wishes[0][1] for _, wild in wishes)

    assert given_up == (doubted is None)
    assert doubted is None or {written} | gone == doubted
    assert set() == demand.doubted()
