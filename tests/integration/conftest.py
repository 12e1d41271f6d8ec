"""What every integration test may ask for: a broker, and names of its own on it.

``kafka`` is one real broker for the whole session, on a free port with its data in a temporary
directory. Tests share it, so none may rely on topics, groups or offsets that another could use:
take ``topics_prefix`` for trimtab's topics, and derive every other topic, group and member name
from it as well. Mark the tests ``@pytest.mark.kafka``.

    @pytest.mark.kafka
    def test_something(kafka: EmbeddedKafka, topics_prefix: str) -> None:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
"""

import re
import uuid
from collections.abc import Iterator

import pytest

from console.embedded.broker import EmbeddedKafka


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedKafka]:
    """The session's broker; its log is named when it fails to start."""
    with EmbeddedKafka(tmp_path_factory.mktemp("kafka"), port=0) as broker:
        yield broker


@pytest.fixture
def topics_prefix(request: pytest.FixtureRequest) -> str:
    """A prefix that only this run of this test uses, ending in a dot, readable in broker logs."""
    test = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:40]
    return f"{test}-{uuid.uuid4().hex[:8]}."
