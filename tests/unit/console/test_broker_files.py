"""What the embedded broker is told."""

import base64
import uuid

from hypothesis import example, given
from hypothesis import strategies as st

from console.embedded.broker_files import broker_properties, cluster_id


@given(st.uuids())
@example(uuid.UUID("f8000000-0000-4000-8000-000000000000"))  # spelt with a leading dash
def test_a_cluster_id_is_sixteen_bytes_and_never_reads_as_an_option(drawn: uuid.UUID) -> None:
    """Kafka's own generator draws again in that case, for the same reason."""
    spelt = cluster_id(drawn)
    assert not spelt.startswith("-")
    assert len(base64.urlsafe_b64decode(f"{spelt}==")) == 16


def test_further_properties_replace_ours_and_further_listeners_are_beside_them() -> None:
    """The broker goes on to answer where its starter looks for it."""
    told = broker_properties(
        port=1,
        controller_port=2,
        further={"num.io.threads": "9", "listeners": "LINE://127.0.0.1:3"},
    )
    properties = dict(line.split("=", 1) for line in told.splitlines())

    assert "9" == properties["num.io.threads"]
    assert ["BROKER", "CONTROLLER", "LINE"] == [
        it.partition("://")[0] for it in properties["listeners"].split(",")
    ]
    assert "BROKER://127.0.0.1:1" == properties["advertised.listeners"]
