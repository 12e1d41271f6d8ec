"""How hard the laws are tried: quickly in `make check`, and for minutes with TRIMTAB_DEEP=1."""

import os
from typing import Final

from hypothesis import settings

DEEP: Final = bool(os.environ.get("TRIMTAB_DEEP"))

tried = settings(
    max_examples=5_000 if DEEP else 50,
    deadline=None,  # a busy machine is not a broken law
)
