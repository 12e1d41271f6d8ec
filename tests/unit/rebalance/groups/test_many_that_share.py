"""What a large group costs whose members own nothing of what they work on."""

import pytest

from rebalance.groups.commons import Commons
from rebalance.groups.model.events import Mode, Portion
from rebalance.groups.model.overview import GroupSummarised
from rebalance.ids import MemberId
from tests.builders.records import joined, routed
from tests.builders.story import Story, only


@pytest.mark.parametrize("mode", [Mode.SHARED, Mode.BROADCASTING])
def test_a_join_names_no_queue_to_those_for_whom_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    """They are compared, and counted in the summary, without a portion of each."""
    story = Story()
    story.reads(*(joined(f"m{number:02}", mode=mode) for number in range(40)), routed("orders", 8))
    named, portion = list[MemberId](), Commons.portion

    def counted(common: Commons, name: MemberId) -> Portion:
        named.append(name)
        return portion(common, name)

    monkeypatch.setattr(Commons, "portion", counted)
    story.reads(joined("new", mode=mode))
    (summary,) = only(GroupSummarised, story.decided)

    assert {"new"} == set(named)
    assert {8} == {it.hold for it in summary.members}
