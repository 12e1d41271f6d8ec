"""What the embedded broker is told."""

import base64
import uuid

from hypothesis import example, given
from hypothesis import strategies as st

from console.embedded.broker_files import cluster_id


@given(st.uuids())
@example(uuid.UUID("f8000000-0000-4000-8000-000000000000"))  # spelt with a leading dash
def test_a_cluster_id_is_sixteen_bytes_and_never_reads_as_an_option(drawn: uuid.UUID) -> None:
    """Kafka's own generator draws again in that case, for the same reason."""
    spelt = cluster_id(drawn)
    assert not spelt.startswith("-")
    assert len(base64.urlsafe_b64decode(f"{spelt}==")) == 16
