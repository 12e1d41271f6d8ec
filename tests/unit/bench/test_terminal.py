"""The terminal's bench asks about groups as a controller publishes them."""

from collections import Counter

from bench.terminal.company import MEMBERS, company
from console.briefs import brief_of
from trimtab.protocol import GROUPS, decode, encode


def test_every_group_is_read_as_a_brief_and_by_the_contract() -> None:
    """So that the bench times what a list of real groups takes."""
    published = list(company(3))
    kinds = Counter(it.topic.name for it in published)
    summaries = [it for it in published if it.topic is GROUPS]

    assert {"groups": 3, "assignments": 3 * len(MEMBERS), "history": 9} == kinds
    assert all(decode(it.topic, encode(it.record)) == it.record for it in published)
    assert [brief_of(encode(it.record)) is not None for it in summaries] == [True] * 3
