"""Settings: what operators have set for a group stays, also where their commands are gone.

The log keeps commands for months, and a group may be older. Its summary is kept for ever and says
what is in force; a controller that starts finds it (``adoption``). It stands behind the past, whose
commands are obeyed first: of those some may be refused that were obeyed then, or the other way
round. So it counts also where it says that nothing is set. What is commanded after it counts after
it.

Called by ``step``. Its one rule: an end of a pause is later here than people were told, and never
earlier; ``obeying.keep_time`` then knows the time better.
"""

from rebalance.groups.adoption import Published
from rebalance.groups.members import rocketmq_clients
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Advanced
from rebalance.groups.model.overrides import Settings
from rebalance.ids import Millis
from rebalance.stamp import Stamp


def keep(draft: Draft, news: Published, now: Stamp) -> None:
    """Have the settings in force that were found published, if the group's summary was found."""
    for found in news.found:
        if isinstance(found, Advanced):
            _enter(draft, found.settings, found.decided, now)


def _enter(draft: Draft, told: Settings, decided: Millis, now: Stamp) -> None:
    rules = draft.rules
    if told.paused:
        until = None
        if told.pause_ends is not None:
            until = Millis(now.clock + max(0, told.pause_ends - decided))
            draft.expect_by(until)
        rules.pause(until, told.pause_ends)
    else:
        rules.end_pause()
    if told.strategy != rules.strategy:  # this step has been given another one to ask
        rules.strategy = told.strategy
        draft.target.defer()
    draft.choose(told.overrides)


def share(draft: Draft, news: Published) -> None:
    """Have all clients share what was found published as shared; it is known who is there.

    The summary does not say how many share a queue, nor anything of a topic that nobody subscribed
    just then: there the past counts. Clients may have said all they want before that.
    """
    wanted, rules = draft.membership.members.demand, draft.rules
    for found in news.found:
        if isinstance(found, Advanced):
            told = dict.fromkeys(found.settings.popped)
            past = {it: n for it, n in rules.popped.items() if it in told or not wanted.covers(it)}
            rules.popped = {**told, **past}
            rocketmq_clients.share(draft, frozenset(rules.popped))
