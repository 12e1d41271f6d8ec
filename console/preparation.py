"""The preparation of an installation: what every later start of the controller profits from.

A controller is run until it works, with a Kafka and a home that nobody else has, and what Java has
loaded by then is written down (``streaming.class_archive``).
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from console.controller import Asked, run
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.errors import Failure
from console.progress import Progress
from console.settings import Settings
from console.settings.sections import ControllerSettings, LogSettings


def prepare(progress: Progress) -> Path:
    """Run a controller until it works, write down what Java has loaded, and return where.

    Raises:
        Failure: Java or the archives are missing, or the controller does not come up.
    """
    from streaming.class_archive import RECORDING, Recorder, place

    jars = JarCache.default()
    find_java()
    jars.fetch(progress)
    archive = place(jars.spark)
    archive.unlink(missing_ok=True)  # a JVM that uses one cannot write one
    told = os.environ.get("SPARK_SUBMIT_OPTS", "").split()
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join([*told, *RECORDING])
    with (
        progress.step("starting a controller once, for Java to remember what it loads"),
        TemporaryDirectory(dir=jars.cache, prefix="prepare-") as home,
    ):
        # Nothing that is set, in a file or in the environment, is for this one.
        settings = Settings.model_construct(
            home=home,
            controller=ControllerSettings(ui_port=0, http_port=0, checkpoint=f"{home}/checkpoint"),
            log=LogSettings(level="error"),  # nobody waits for what this one would say
        )
        run(settings, Asked(), progress, [Recorder(Path(home), archive)])
    if not archive.exists():
        raise Failure("the controller was stopped before it worked: try again")
    return archive
