"""`trimtab version`: what is installed here, for a bug report.

Versions are asked of the environment and not of the checkout, so that they are those that run.
"""

import platform
from importlib.metadata import version as installed

from console.commands.options import Output
from console.output import Format, fields, show


def version(output: Output = Format.TABLE) -> None:
    """Print the versions of trimtab and of what it runs on.

    Examples:
      trimtab version
      trimtab version -o json
    """
    names = ("trimtab-controller", "trimtab", "pyspark", "confluent-kafka")
    versions = {name: installed(name) for name in names} | {"python": platform.python_version()}
    show(versions, output, fields(versions))
