"""Programs of the documents, as they are printed but for names: our Kafka, a prefix, a group.

    (before, after) = programs(page, "From kafka-python")
    with Running(here(after, servers, prefix, group)) as running: ...

Used by tests that run what users are shown. Its one rule: nothing else is changed.
"""

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final, Self

PATIENCE_S: Final = 60.0


def programs(page: str, heading: str = "") -> list[str]:
    """The Python programs of a page, or of one part of it, in order."""
    part = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0] if heading else page
    return re.findall(r"^```python\n(.*?)^```", part, flags=re.DOTALL | re.MULTILINE)


def here(program: str, servers: str, prefix: str, group: str, topic: str = "orders") -> str:
    """The same program, with our Kafka, our prefix and a group and a topic of its own."""
    ours = re.sub(
        r'((?:Consumer|Member|Producer)\(\s*"localhost:9092",)',
        rf'\1 prefix="{prefix}",',
        program,
    )
    ours = ours.replace("localhost:9092", servers)
    assert ours != program, "it does not say where Kafka is"
    return ours.replace('"billing"', f'"{group}"').replace('"orders"', f'"{topic}"')


class Running:
    """A program in a process of its own, which writes what it prints into a file."""

    def __init__(self, program: str, printed: Path) -> None:
        with printed.open("ab") as file:
            self._process = subprocess.Popen([sys.executable, "-uc", program], stdout=file)

    def end(self) -> int:
        """Tell it to end, as a container's runtime does; return its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def plain_blocks(page: str) -> list[str]:
    """The blocks of a page that are of no language: what is typed, or printed."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [block for language, block in found if not language]


def commands(page: str) -> list[str]:
    """Every `trimtab ...` that a page tells people to type, each once."""
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    typed = re.findall(r"`trimtab ([a-z][^`]*)`", prose)
    for block in plain_blocks(page):
        typed += re.findall(r"^ *trimtab ([a-z][^#\n]*)", block, flags=re.MULTILINE)
    return [*dict.fromkeys(line.strip() for line in typed)]
