"""The transition tests of Kafka's group coordinator, by name, and what became of each here.

Kafka has two small machines as we do, and a table of tests for each: ``CurrentAssignmentBuilder``
(how a member moves; the 14 cases of 2024 and the 6 that 4.x added) and ``TargetAssignmentBuilder``
(9 cases). Each is answered by a case of ``test_transitions`` or ``test_target_transitions``, or by
a sentence that says why there is nothing to answer. Both tables are checked against this list.
"""

from typing import Final

CURRENT_ASSIGNMENT: Final = frozenset(
    {
        "testStableToStable",
        "testStableToStableWithNewPartitions",
        "testStableToUnrevokedPartitions",
        "testStableToUnreleasedPartitions",
        "testStableToUnreleasedPartitionsWithOwnedPartitionsNotHavingRevokedPartitions",
        "testUnrevokedPartitionsToStable",
        "testRemainsInUnrevokedPartitions",
        "testUnrevokedPartitionsToUnrevokedPartitions",
        "testUnrevokedPartitionsToUnreleasedPartitions",
        "testUnreleasedPartitionsToStable",
        "testUnreleasedPartitionsToStableWithNewPartitions",
        "testUnreleasedPartitionsToUnreleasedPartitions",
        "testUnreleasedPartitionsToUnrevokedPartitions",
        "testUnknownState",
        "testStableToStableWithAssignmentTopicsNoLongerInSubscription",
        "testStableToUnrevokedPartitionsWithAssignmentTopicsNoLongerInSubscription",
        "testRemainsInUnrevokedPartitionsWithAssignmentTopicsNoLongerInSubscription",
        "testSubscribedTopicNameAndUnresolvedRegularExpression",
        "testUnresolvedRegularExpression",
        "testSubscribedTopicNameAndResolvedRegularExpression",
    }
)

TARGET_ASSIGNMENT: Final = frozenset(
    {
        "testCreateMemberSubscriptionSpecImpl",
        "testEmpty",
        "testAssignmentHasNotChanged",
        "testAssignmentSwapped",
        "testNewMember",
        "testUpdateMember",
        "testPartialAssignmentUpdate",
        "testDeleteMember",
        "testReplaceStaticMember",
    }
)

WITHOUT_COUNTERPART: Final = {
    "testUnknownState": "a state that is written by another release is refused as a whole "
    "(tests/unit/streaming/cell/test_codec.py::test_an_unknown_version_is_refused)",
}
