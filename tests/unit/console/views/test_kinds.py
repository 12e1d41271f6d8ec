"""Kinds of findings: each has a rule that finds it, and a section that says what to do."""

import re
from pathlib import Path

from console.views.findings import Kind
from tests.builders.checkout import files, text

PAGE = Path("docs/troubleshooting.md")


def test_every_kind_of_finding_has_its_section() -> None:
    """And every section a kind: nobody is sent to a page that says nothing of it."""
    sections = re.findall(r"^### (.+)$", text(PAGE), re.MULTILINE)

    assert sorted(Kind) == sorted(sections)


def test_a_section_says_what_is_seen_what_it_means_and_what_to_do() -> None:
    """With commands."""
    for section in text(PAGE).split("\n### ")[1:]:
        parts = ("**You see**", "**It means**", "**Do**", "```\ntrimtab ")
        places = [section.find(part) for part in parts]
        assert places == sorted(places), section
        assert places[0] > 0, section


def test_every_kind_is_found_by_some_rule() -> None:
    """A kind that nothing finds would be a promise."""
    rules = "".join(text(path) for path in files("console/views/*.py"))

    assert [] == [it for it in Kind if f"Finding(Kind.{it.name}," not in rules]
