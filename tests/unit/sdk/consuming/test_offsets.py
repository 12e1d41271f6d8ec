"""What is said with a commit, and read again."""

import pytest

from trimtab.consuming.offsets import signature, token_of


def test_the_token_of_a_commit_is_read_again() -> None:
    """As those who fence do."""
    assert 12 == token_of(signature(12, "0-life"))


@pytest.mark.parametrize("said", ["", "by hand", "trimtab:", "trimtab:x:y", "other:3:life", ":3:"])
def test_what_others_say_has_no_token(said: str) -> None:
    """So it is older than any of ours."""
    assert 0 == token_of(said)
