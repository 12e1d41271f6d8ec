"""What the controllers have said of themselves, as Kafka has it.

`controllers` is compacted, so the last record of each key is what that controller said last. One
that was killed says nothing any more, and its last word stays; how old it is shows that. Called by
`trimtab controllers`.
"""

from typing import Final

from console.settings import Settings
from console.whole_topics import messages
from trimtab.protocol import CONTROLLERS, Controller, decode

SILENT_S: Final = 15.0
"""Three times as long as a controller is silent between two words."""


def statuses(settings: Settings, servers: str) -> list[tuple[Controller, int]]:
    """Read the last word of each controller, and when it was said by the broker's clock.

    Raises:
        Failure: The topic cannot be read.
    """
    topic = f"{settings.topics.prefix}{CONTROLLERS.name}"
    said: dict[bytes, tuple[Controller, int]] = {}
    for message in messages(settings, servers, [topic]):
        key, value = message.key() or b"", message.value()
        if value is None:
            said.pop(key, None)
        else:
            said[key] = decode(CONTROLLERS, value), message.timestamp()[1]
    return [it for _, it in sorted(said.items())]
