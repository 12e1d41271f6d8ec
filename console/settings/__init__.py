"""Settings: flags over environment over file over defaults, strict, and each value with its origin.

``load`` is what commands call. The model is in ``model`` and the sections beside it, what each
source said in ``layers``, how it is printed in ``report``. Nothing below ``console`` reads
settings or the environment.
"""

from console.settings.loading import Loaded, load
from console.settings.model import Settings

__all__ = ["Loaded", "Settings", "load"]
