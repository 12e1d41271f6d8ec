"""`trimtab recover` names what is wrong with a checkpoint, and what to do."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from console.errors import Away
from console.settings import load
from console.wiring import options
from streaming.startup.losses import Contents, NotSurveyed
from streaming.startup.terms import present_terms, written
from tests.builders.command_line import Run

UNHEALTHY = 3
USAGE = 2


def test_where_none_is_none_is_missed(run: Run, tmp_path: Path) -> None:
    """A controller begins one."""
    code, said, _ = run("recover", "--checkpoint", str(tmp_path / "checkpoint"))

    assert 0 == code
    assert "`trimtab run` begins one; no queue moves" in said


def test_where_nobody_says_where_it_is_nothing_is_said_to_be_well(run: Run) -> None:
    """In an outage "all is well" would be said of a folder where no controller ever was."""
    code, said, error = run("recover")
    told = run("recover", "--set", "home=state")

    assert (USAGE, "") == (code, said)
    assert f"no checkpoint in {Path.cwd() / '.trimtab' / 'checkpoint'}, and no setting" in error
    assert "TRIMTAB_CONFIG" in error
    assert 0 == told[0]


def test_one_that_is_here_needs_no_settings(run: Run) -> None:
    """A controller that was started without any has put it here."""
    plans = Path(".trimtab") / "checkpoint" / "offsets"
    plans.mkdir(parents=True)
    (plans / "7").write_text("")

    assert UNHEALTHY == run("recover")[0]


def test_programs_are_told_of_none_in_their_own_words(run: Run, tmp_path: Path) -> None:
    """Prose would end whoever reads JSON, at the very time when nothing is wrong."""
    code, said, _ = run("recover", "--checkpoint", str(tmp_path / "checkpoint"), "-o", "json")

    assert (0, {"findings": [], "not_examined": []}) == (code, json.loads(said))


@pytest.mark.parametrize("quiet", [(), ("-q",)], ids=["said", "quiet"])
def test_that_nothing_is_wrong_is_not_said_of_what_was_not_compared(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: tuple[str, ...]
) -> None:
    """It is asked when a controller does not start: Kafka, or a topic of its, may be the reason."""

    def away(_: object) -> str:
        raise Away("Kafka does not answer")

    monkeypatch.setattr("console.cluster.bootstrap_servers", away)
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "7").write_text('v1\n{}\n{"t.members":{"0":3}}')
    (tmp_path / "metadata").write_text('{"id":"x"}')
    asked = (*quiet, "recover", "--checkpoint", str(tmp_path))
    note = "settings and topics were not compared: Kafka does not answer"
    code, said, error = run(*asked)

    assert (0, f"{note}\n") == (code, error)
    assert said.startswith(
        "nothing is wrong with the files; last committed batch: None; last started: 7"
    )
    told = json.loads(run(*asked, "-o", "json")[1])
    assert {"findings": [], "not_examined": [note]} == told


def test_damage_is_named_with_what_to_do(run: Run, tmp_path: Path) -> None:
    """By the file, for people and for programs."""
    plans = tmp_path / "offsets"
    plans.mkdir()
    (plans / "7").write_text('v1\n{}\n{"t.members":{"0":3}}')
    (tmp_path / "metadata").write_text("")
    code, said, _ = run("recover", "--checkpoint", str(tmp_path), "-o", "json")

    assert UNHEALTHY == code
    (finding,) = json.loads(said)["findings"]
    assert "metadata is empty, as after a power cut" == finding["finding"]
    assert "no queue moves" in finding["remedy"]


@pytest.mark.parametrize(
    ("partitions", "compared", "said"),
    [
        (None, True, "first what is said of settings; then `trimtab run`"),
        (8, True, "`trimtab run`: it begins a new checkpoint by itself"),
        (16, True, "first what is said of settings; then `trimtab run`"),
        (8, False, "first what is said of settings; then `trimtab run`"),
    ],
)
def test_damage_goes_by_itself_only_where_nothing_is_refused(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    partitions: int | None,
    compared: bool,  # noqa: FBT001 - of a table
    said: str,
) -> None:
    """A start looks at what a checkpoint was begun with, also where its other files are damaged."""

    def shelf(*_: object) -> Contents:
        if not compared:
            raise NotSurveyed("Kafka does not answer")
        return Contents("kafka-1", {}, {})

    monkeypatch.setattr("console.cluster.bootstrap_servers", lambda _: "here:1")
    monkeypatch.setattr("console.recovery.survey", shelf)
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "7").write_text('v1\n{}\n{"t.members":{"0":3}}')
    (tmp_path / "metadata").write_text("")
    if partitions is not None:
        loaded = options(load(environment={}).settings, bootstrap_servers="here:1", jars=tmp_path)
        begun = replace(present_terms(loaded, "kafka-1", {}), partitions=partitions)
        (tmp_path / "trimtab.json").write_text(written(begun))
    findings = json.loads(run("recover", "--checkpoint", str(tmp_path), "-o", "json")[1])

    (of_file,) = [it for it in findings["findings"] if it["subject"] == "files"]
    assert of_file["remedy"].startswith(said)
    assert len(findings["findings"]) == 1 + (compared and partitions != 8)


def test_it_looks_where_a_standby_has_put_it(run: Run, tmp_path: Path) -> None:
    """What a frozen controller still writes at the old place is nobody's."""
    moved = tmp_path / "checkpoint.at-1767312000000-0b5e55ed"
    for place in (tmp_path / "checkpoint", moved):
        (place / "offsets").mkdir(parents=True)
    (moved / "offsets" / "7").write_text('v1\n{}\n{"t.members":{"0":3}}')
    (moved / "trimtab.json").write_text("")  # as after a power cut
    (moved / "metadata").write_text("")
    (tmp_path / "checkpoint.1767312000000-0b5e55ed").mkdir()
    code, said, _ = run("recover", "--checkpoint", str(tmp_path / "checkpoint"), "-o", "json")

    assert UNHEALTHY == code
    told = {it["finding"] for it in json.loads(said)["findings"]}
    assert {f"{it} is empty, as after a power cut" for it in ("metadata", "trimtab.json")} <= told


@pytest.mark.parametrize("place", ["s3a://bucket/checkpoint", "hdfs://host/checkpoint"])
def test_a_place_elsewhere_is_to_be_copied(run: Run, place: str) -> None:
    """It looks at files of this machine."""
    code, _, error = run("recover", "--set", f"controller.checkpoint={place}")

    assert USAGE == code
    assert "copy it here, and name the copy by --checkpoint" in error
