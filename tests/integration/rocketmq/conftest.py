"""What every test on a real RocketMQ may ask for: consumers of a group, and their server.

They are on the controller that tests share, in a group of the test's own, so that nobody's queues
are another's.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import Consumers


@pytest.fixture
def consumers(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str
) -> Iterator[Consumers]:
    """Consumers of the test's group, and their server."""
    consumers = Consumers(tmp_path, controller, published, group)
    yield consumers
    consumers.close()
