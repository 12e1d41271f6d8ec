"""Help as it is written: a command's docstring is printed line by line, examples and all.

The library would fill it into paragraphs. Every command and group of ours is made with these
classes.
"""

import inspect
from typing import Protocol

import typer
from typer.core import TyperCommand, TyperGroup


class _Formatter(Protocol):
    """The two things that we need of the library's."""

    def write(self, string: str) -> None:
        """Append text."""
        ...

    def write_paragraph(self) -> None:
        """Append an empty line."""
        ...


class _AsWritten:
    """Prints its docstring."""

    help: str | None

    def format_help_text(self, ctx: object, formatter: _Formatter) -> None:
        """Write the docstring, indented like the other sections."""
        del ctx
        formatter.write_paragraph()
        for line in inspect.cleandoc(self.help or "").splitlines():
            formatter.write(f"  {line}".rstrip() + "\n")


class Command(_AsWritten, TyperCommand):
    """A command."""


class Group(_AsWritten, TyperGroup):
    """A group of commands."""


def group() -> typer.Typer:
    """An empty group; the same plain help on a terminal, in a pipe and in a log."""
    return typer.Typer(
        cls=Group,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
