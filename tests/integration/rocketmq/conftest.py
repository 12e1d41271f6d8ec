"""What every test on a real RocketMQ may ask for: consumers of a group, on a server.

They are on the controller that tests share, in a group of the test's own, so that nobody's queues
are another's.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import Consumers
from tests.integration.rocketmq_server import PlainServer


@pytest.fixture
def consumers(
    tmp_path: Path,
    controller: ControllerProcess,
    published: Published,
    group: str,
    plain_server: PlainServer,
) -> Iterator[Consumers]:
    """Consumers of the test's group, on the server that tests share."""
    server = plain_server.at(controller.name_servers[0])
    with closing(Consumers(tmp_path, controller, published, group, server)) as consumers:
        yield consumers
