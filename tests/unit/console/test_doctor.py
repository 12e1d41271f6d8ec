"""`trimtab doctor`: what it prints, and how it ends; what it looks at is in test_examination."""

import json
from collections.abc import Callable

import pytest

from console.views.findings import Finding, Kind
from tests.builders.command_line import Run

UNHEALTHY = 3
PAUSED = Finding(Kind.PAUSE, "billing", "it is paused", "resume it")
NOTE = "lags were not looked at: no right to Describe"


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Finding], list[str]], None]:
    """Let the examination find and note so much."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")

    def arrange(found: list[Finding], notes: list[str]) -> None:
        def examined(*asked: Callable[[str], object]) -> list[Finding]:
            for it in notes:
                asked[3](it)
            return found

        monkeypatch.setattr("console.examination.examined", examined)

    return arrange


@pytest.mark.parametrize(
    ("found", "notes", "said"),
    [
        ([], [], "nothing is wrong\n"),
        ([], [NOTE], "nothing is wrong with what could be looked at\n"),
    ],
    ids=["all was looked at", "not all was looked at"],
)
@pytest.mark.parametrize("quiet", [(), ("-q",)], ids=["said", "quiet"])
def test_that_nothing_is_wrong_is_not_said_of_what_was_not_looked_at(
    run: Run,
    finds: Callable[[list[Finding], list[str]], None],
    found: list[Finding],
    notes: list[str],
    said: str,
    quiet: tuple[str, ...],
) -> None:
    """Whoever is asleep trusts it; and what was left out is no progress that -q may silence."""
    finds(found, notes)
    code, out, err = run(*quiet, "doctor")

    assert (0, said, notes) == (code, out, err.splitlines())


@pytest.mark.parametrize("found", [[], [PAUSED]], ids=["well", "wrong"])
def test_programs_are_told_what_was_not_looked_at(
    run: Run, finds: Callable[[list[Finding], list[str]], None], found: list[Finding]
) -> None:
    """An empty list of findings looks the same either way."""
    finds(found, [NOTE])
    code, out, _ = run("doctor", "-o", "json")

    assert (UNHEALTHY if found else 0) == code
    assert {"findings": [it.row() for it in found], "not_examined": [NOTE]} == json.loads(out)


def test_what_is_found_is_a_table(
    run: Run, finds: Callable[[list[Finding], list[str]], None]
) -> None:
    """With the kind first, which is a heading of the page on trouble."""
    finds([PAUSED], [])
    code, out, _ = run("doctor")

    assert UNHEALTHY == code
    assert ["pause", "billing"] == out.splitlines()[1].split()[:2]


def test_remedies_are_typed_with_the_same_settings(
    run: Run, finds: Callable[[list[Finding], list[str]], None]
) -> None:
    """Or they would go to another Kafka, or to none; `run` has settings of its own."""
    remedy = "`trimtab run`; `trimtab groups evict`; `trimtab groups resume billing --reason x`"
    remedy += "; `trimtab check` judges the whole log"
    finds([Finding(Kind.PAUSE, "billing", "it is paused", remedy)], [])
    _, out, _ = run("doctor", "--set", "topics.prefix=t.", "-o", "json")

    where = "--set topics.prefix=t."
    told = f"`trimtab run`; `trimtab groups evict {where}`; "
    told += f"`trimtab groups resume {where} billing --reason x`; "
    told += f"`trimtab check {where}` judges the whole log"
    assert told == json.loads(out)["findings"][0]["remedy"]
