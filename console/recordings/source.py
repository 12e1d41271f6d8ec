"""Where recorded records come from: files, or the topics of a cluster.

Called by the commands `replay` and `check`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from console.cluster import bootstrap_servers
from console.progress import Progress
from console.recordings.lines import Line, read
from console.recordings.reading import Wanted, recorded
from console.settings import Settings


def lines(
    settings: Settings,
    files: Sequence[Path],
    servers: str | None,
    wanted: Wanted,
    progress: Progress,
) -> Iterable[Line]:
    """Return recorded lines: of files, if any is named, else of topics of a cluster.

    Raises:
        Failure: There is no such file, or no such cluster, or it has too much.
    """
    if files:
        return read(files, settings.topics.prefix)
    where = servers or bootstrap_servers(settings)
    with progress.step(f"reading {len(wanted.topics)} topics of {where}"):
        return recorded(settings, where, wanted)
