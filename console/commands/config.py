"""`trimtab config`: what is set, where that came from, and what could be set.

Reads settings as every other command does, and starts nothing. Its output is also a settings file
to start from.
"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from console.commands.help import Command, group
from console.commands.options import ConfigFile, KeyValues, settings_of
from console.encoding import as_json, as_yaml
from console.output import columns, write

app = group()


class ConfigFormat(StrEnum):
    """What `config show -o` takes."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    TOML = "toml"


@app.callback()
def config() -> None:
    """Settings: flags over environment (TRIMTAB_...) over file (trimtab.toml) over defaults.

    Examples:
      trimtab config show                     every setting, its value and where it came from
      trimtab config show -o toml             the same as a file to start from
      trimtab config schema > schema.json     what editors complete and check trimtab.toml with
      TRIMTAB_LOG__FORMAT=json trimtab config show
    """


@app.command(cls=Command)
def show(
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Annotated[
        ConfigFormat, typer.Option("--output", "-o", help="How to print the settings.")
    ] = ConfigFormat.TABLE,
) -> None:
    """Print every setting with its value and its origin; secrets are masked.

    Examples:
      trimtab config show
      trimtab config show -o toml > all.toml       a file to start from, without secrets
    """
    from console.settings.report import rows, toml

    loaded = settings_of(config, key_values)
    match output:
        case ConfigFormat.TABLE:
            write(columns(rows(loaded), "key", "value", "origin"))
        case ConfigFormat.JSON:
            write(as_json(rows(loaded), indent=2))
        case ConfigFormat.YAML:
            write(as_yaml(rows(loaded)))
        case ConfigFormat.TOML:
            write(toml(loaded).rstrip())


@app.command(cls=Command)
def schema() -> None:
    """Print the JSON Schema of the settings file, with what each setting costs.

    Examples:
      trimtab config schema > schema.json
    """
    from console.settings import Settings

    write(json.dumps(Settings.model_json_schema(mode="serialization"), indent=2))
