"""Java is told of the class archive only if there is one."""

from pathlib import Path

from streaming.class_archive import flags, place


def test_without_an_archive_nothing_is_said(tmp_path: Path) -> None:
    """An installation that was not prepared starts as it always did."""
    assert () == flags(tmp_path / "spark")


def test_an_archive_lies_beside_the_jars_and_goes_with_them(tmp_path: Path) -> None:
    """New jars are put in the place of the whole directory, and the archive fits the old ones."""
    jars = tmp_path / "with space" / "spark"
    jars.mkdir(parents=True)
    place(jars).touch()

    assert place(jars).parent == jars.parent
    assert flags(jars)[0] == f'"-XX:SharedArchiveFile={place(jars)}"'


def test_who_needs_no_jars_may_name_none() -> None:
    """`trimtab recover` asks for Spark's options, and starts no Spark."""
    assert () == flags(Path())
