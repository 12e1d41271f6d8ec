"""Topic ``deadletters``: records that could not be used, with the reason.

A bad record costs one record here and nothing else: the batch goes on, and people can look at the
bytes later.

Called by ``cell.fold``, which has the original at hand. Its one rule: a bad record is kept, up
to a limit, under the name of the topic that it was found on.
"""

from sinks.contract import Outlet, Record, headers
from trimtab.protocol import DEADLETTERS, DeadLetter, encode


def dead_letter_record(letter: DeadLetter, outlet: Outlet) -> Record:
    """Address a dead letter."""
    return Record(
        outlet.topic(DEADLETTERS),
        partition=outlet.partition(letter.topic),
        key=letter.topic.encode(),
        value=encode(letter),
        headers=headers(letter),
    )
