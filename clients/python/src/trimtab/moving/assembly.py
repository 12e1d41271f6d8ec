"""The assembly of a mover: what it follows, and what it lets others do. Loaded when one is made.

So `trimtab` can be imported without confluent-kafka. Used by `MovingReader`.
"""

from collections.abc import Callable
from typing import Final

from trimtab.consuming.assembly import Parts
from trimtab.consuming.commits import Commits
from trimtab.consuming.confluent_settings import client_settings, consumer_settings
from trimtab.consuming.contract import Wish
from trimtab.member import Member
from trimtab.moving.company import Company, client_id
from trimtab.moving.ending import Ending
from trimtab.moving.mover import Mover
from trimtab.moving.silence import Silence
from trimtab.moving.subscription import Subscription
from trimtab.moving.wanted_side import WantedSide
from trimtab.moving.writing import Sender
from trimtab.session import Profile

_LATE_S: Final = 10.0
"""Until a stuck loop has given its queues up."""
_SEEN_S: Final = 10
"""How late a new partition is seen on Kafka's side, from where it comes to trimtab's; librdkafka's
own `topic.metadata.refresh.interval.ms` is five minutes."""


def mover(
    member: Member,
    parts: Parts,
    wish: Wish,
    prefix: str,
    report: Callable[[Exception], object],
    max_poll_s: float,
) -> Mover:
    """Put one together, and have these parts commit by it."""
    profile = member.profile
    soon = {"topic.metadata.refresh.interval.ms": _SEEN_S * 1_000}
    settings = soon | _unmatched(profile, prefix) | consumer_settings(client_settings(wish))
    subscription = Subscription(
        {**settings, "client.id": client_id(profile.member)}, _topics(profile)
    )
    given = {**wish.kafka, "bootstrap.servers": wish.servers}
    wanted = WantedSide(given, profile.group, prefix)
    company = Company(given, profile.group)
    made = Mover(
        parts.handover,
        member.owned,
        (subscription, wanted, company, Silence(max_poll_s + _LATE_S)),
        Ending(member),
        report,
    )
    assert isinstance(parts.handover.commits, Commits), "the reader refuses others"
    parts.handover.commits.write_by(Sender(subscription, made.said))
    return made


def _unmatched(profile: Profile, prefix: str) -> dict[str, str]:
    """Have patterns match no topics of Kafka's or trimtab's own, as on trimtab's side.

    librdkafka knows no `exclude.internal.topics`.
    """
    ours = "".join(map(_literal, prefix))
    return {"topic.blacklist": f"^__.*,^{ours}.*"} if profile.patterns else {}


def _topics(profile: Profile) -> list[str]:
    """What to subscribe to: names, and patterns as Kafka's clients have them."""
    return [*profile.topics, *map(_expression, profile.patterns)]


def _expression(pattern: str) -> str:
    parts = (".*" if it == "*" else "." if it == "?" else _literal(it) for it in pattern)
    return f"^{''.join(parts)}$"


def _literal(letter: str) -> str:
    return letter if letter.isalnum() or letter in "_-" else f"[{letter}]"
