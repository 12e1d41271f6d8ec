"""Who follows needs the right to read one topic, and is told of no other."""

import time

import pytest

from tests.integration.secured_callers import PASSWORD, PREFIX, Caller
from tests.integration.secured_kafka import SecuredKafka
from trimtab import follow
from trimtab.protocol import ASSIGNMENTS

pytestmark = pytest.mark.kafka

FOLLOWING_S = 5.0


def test_who_follows_needs_no_more(secured: SecuredKafka, caplog: pytest.LogCaptureFixture) -> None:
    """Its client looks for a group of its own, which it may not: that is no trouble."""
    secured.user("follower", PASSWORD)
    secured.allow("follower", "Read", PREFIX + ASSIGNMENTS.name)
    ours = Caller(secured, "confluent").arguments("SASL_SSL", "follower")
    late = time.monotonic() + FOLLOWING_S
    told = follow(**ours, group="nobody", prefix=PREFIX, is_over=lambda: time.monotonic() > late)

    assert [] == list(told)
    assert [] == [it.message for it in caplog.records if "following" in it.message]
