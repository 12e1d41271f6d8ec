"""What every section of the settings is: frozen, strict, and documented where it is declared.

The docstring below a field is its description in `config schema`: a paragraph on what choosing
another value costs. Tables of options for other programs (`kafka.options`, `spark.options`) hold
text and are passed on untouched.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


class Section(BaseModel):
    """A table of the settings file; an unknown key in it is an error."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, validate_default=False
    )


def _option(value: object) -> object:
    """TOML has numbers and truth values, option tables have text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


Options = dict[str, Annotated[str, BeforeValidator(_option)]]
