"""JSON lines in, JSON lines out, in order: how others check what we compute.

Called by the commands `allocate` and `faults`. Whatever a line holds, it gets one answer, a bad one
an error that says what is wrong; no line ends the run.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from console.errors import ExitCode, Failure


def describe(error: BaseException) -> str | None:
    """Say what is wrong with a line."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at character {error.pos}"
    if isinstance(error, KeyError):
        return str(error.args[0]) if error.args else type(error).__name__
    return str(error) or type(error).__name__


def answers(
    lines: Iterable[bytes],
    answer: Callable[[object], object],
    describe: Callable[[BaseException], str | None] = describe,
) -> Iterator[str]:
    """Answer every line, in order. Text beyond ASCII is escaped, lone surrogates too."""
    for line in lines:
        try:
            told = _written(answer(json.loads(line)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a line may name a user's code
            told = _written({"error": {"message": _described(error, describe)}})
        yield told


def _described(error: BaseException, describe: Callable[[BaseException], str | None]) -> str | None:
    try:
        return describe(error)
    except Exception:  # noqa: BLE001 - a stranger's message may raise as well
        return f"{type(error).__name__}: its message cannot be read"


def _written(answer: object) -> str:
    return json.dumps(answer, separators=(",", ":"))


def answer_file(file: Path | None, answer: Callable[[Iterable[bytes]], Iterable[str]]) -> None:
    """Answer a file, or what comes in, line by line on stdout."""
    try:
        lines = sys.stdin.buffer if file is None else file.open("rb")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}", ExitCode.NOT_FOUND) from error
    with lines:
        for told in answer(lines):
            sys.stdout.write(f"{told}\n")
            sys.stdout.flush()
