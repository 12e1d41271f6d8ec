"""What a summary says that operators have set, as a controller that starts hears it."""

from rebalance.groups.model.events import Advanced
from rebalance.groups.model.overrides import Overrides, Settings
from rebalance.ids import Epoch, Millis, TopicName
from streaming.wire.translation import event_of
from tests.builders.log import LIFE
from tests.builders.records import at
from trimtab import protocol
from trimtab.protocol import Advance

STAMP = at(3)


def heard(said: protocol.Settings) -> Settings | None:
    """What the brain hears."""
    event = event_of(Advance(start=LIFE, epoch=4, decided_ms=99, settings=said), STAMP)
    assert isinstance(event, Advanced)
    assert (Epoch(4), Millis(99)) == (event.epoch, event.decided)
    return event.settings


def test_all_that_is_set_is_heard() -> None:
    """In the brain's words."""
    said = protocol.Settings(
        paused=True,
        paused_until_ms=120,
        own_strategy="AVG",
        overrides=protocol.Overrides(flap_limit=7),
        popped=("mail",),
    )

    assert heard(said) == Settings(
        paused=True,
        pause_ends=Millis(120),
        strategy="AVG",
        overrides=Overrides(flap_limit=7),
        popped=(TopicName("mail"),),
    )


def test_a_strategy_of_a_newer_release_is_the_policys() -> None:
    """All else of the group goes on."""
    said = protocol.Settings(own_strategy="OF_A_NEWER_RELEASE", popped=("mail",))

    assert Settings(popped=(TopicName("mail"),)) == heard(said)
