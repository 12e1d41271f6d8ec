"""What is said with a commit, as confluent-kafka gives it."""

import pytest

from trimtab.consuming.confluent import metadata_of


class Beyond:
    """As confluent-kafka 2.16 is now and then: what it reads goes on behind the end."""

    def __init__(self, found: bytes) -> None:
        self._found = found

    @property
    def metadata(self) -> str:
        """Text, if it is."""
        return self._found.decode()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (b"", ""),
        (b"trimtab:11:1-a", "trimtab:11:1-a"),
        (b"trimtab:11:1-a\xd2\x01", "trimtab:11:1-a"),
    ],
)
def test_what_is_behind_its_end_is_left_out(found: bytes, said: str) -> None:
    """So that a queue begins, under the token that was said."""
    assert said == metadata_of(Beyond(found))  # type: ignore[arg-type]  # as much of one as is asked
