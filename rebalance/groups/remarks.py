"""Remarks: what an answer says beyond that a command is done.

Who hears "done" believes that what was asked for is so. Where it is not so yet, or not all of it,
the answer says why. They only read the draft.

Called by ``obeying``, once the command is carried out.
"""

from typing import Final

from rebalance.groups.model.commands import ChooseStrategy
from rebalance.groups.model.draft import Draft

_NO_OPTIONS: Final = "{}"
"""As ``Policy`` writes none."""


def of_strategy(draft: Draft, command: ChooseStrategy) -> str:
    """Say that options are the controller's: a strategy by the same name is chosen without them."""
    general = draft.general
    if command.strategy != general.strategy or general.strategy_options == _NO_OPTIONS:
        return ""
    return "without the controller's options"
