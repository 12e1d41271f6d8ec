"""Settings: what operators have set for a group stays, also where their commands are gone.

The log keeps commands for months, and a group may be older. Its summary is kept for ever and says
what is in force; a controller that starts finds it (``adoption``). That counts first, and then what
the log still has: of commands that say something of the same, the last one wins.

Called by ``step``. Its one rule: an end of a pause is later here than people were told, and never
earlier; ``obeying.keep_time`` then knows the time better.
"""

from dataclasses import replace

from rebalance.groups.adoption import Published
from rebalance.groups.model.events import Advanced
from rebalance.groups.model.state import GroupState
from rebalance.ids import Millis
from rebalance.stamp import Stamp


def kept(before: GroupState, news: Published, now: Stamp) -> GroupState:
    """Return the state with the settings that were found published, if any were."""
    for found in news.found:
        if isinstance(found, Advanced) and found.settings is not None:
            ends, until = found.settings.pause_ends, None
            if ends is not None:
                until = Millis(now.clock + max(0, ends - found.decided))
            before = replace(before, rules=before.rules.with_settings(found.settings, until))
    return before
