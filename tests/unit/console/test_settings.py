"""Settings: who wins, what is refused and how it is said, and what is shown of it."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from pydantic import BaseModel

from console.errors import ExitCode, Failure
from console.settings import Loaded, Settings, load
from console.settings.keys import dotted, leaves, tables
from console.settings.masking import MASK
from console.settings.report import rows, toml
from console.settings.units import milliseconds
from rebalance.policy import Policy
from trimtab.protocol.topics import TOPICS


@dataclass
class Sources:
    """Three sources to fill, and the settings that come of them."""

    file: Path
    environment: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        """Fill the file."""
        self.file.write_text(text)

    def load(self) -> Loaded:
        """Read all three."""
        return load(
            config=self.file if self.file.exists() else None,
            assignments=self.flags,
            environment=self.environment,
        )

    def refusal(self) -> list[str]:
        """The lines that the user sees; the exit code is always that of a wrong call."""
        with pytest.raises(Failure) as failure:
            self.load()
        assert ExitCode.USAGE == failure.value.exit_code
        return str(failure.value).replace(str(self.file), "FILE").splitlines()


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    """Empty sources, in a directory without a settings file."""
    monkeypatch.chdir(tmp_path)
    return Sources(tmp_path / "given.toml")


# ------------------------------------------------------------------------------------ who wins


def test_defaults_are_the_brain_s_own(sources: Sources) -> None:
    """A setting that nobody gave has the default of the layer that uses it."""
    settings = sources.load().settings
    assert Policy() == settings.policy.policy(settings.controller.max_clock_step)
    kept = {name: topic.retention_ms for name, topic in TOPICS.items() if topic.retention_ms}
    chosen = settings.topics.retention
    assert kept == {name: milliseconds(getattr(chosen, name)) for name in kept}
    assert set(kept) == set(type(chosen).model_fields)


def test_flags_over_environment_over_file_over_default(sources: Sources) -> None:
    """Each source wins over the ones below it, key by key."""
    sources.write("[topics]\npartitions = 2\nreplication_factor = 1\nprefix = 'file.'")
    sources.environment["TRIMTAB_TOPICS__PARTITIONS"] = "3"
    sources.environment["TRIMTAB_TOPICS__PREFIX"] = "environment."
    sources.flags.append("topics.partitions=4")
    loaded = sources.load()
    assert 4 == loaded.settings.topics.partitions
    assert "environment." == loaded.settings.topics.prefix
    assert "flag --set topics.partitions" == loaded.origin(("topics", "partitions"))
    assert "environment TRIMTAB_TOPICS__PREFIX" == loaded.origin(("topics", "prefix"))
    assert f"file {sources.file}" == loaded.origin(("topics", "replication_factor"))
    assert "default" == loaded.origin(("home",))


def test_option_tables_merge_entry_by_entry(sources: Sources) -> None:
    """A password from the environment joins the protocol from the file; both keep their origin."""
    sources.write('[kafka.options]\n"security.protocol" = "SSL"\nretries = 5\nidempotence = true')
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = '{"sasl.password": "p", "retries": 6}'
    sources.flags.append("kafka.options.security.protocol=SASL_SSL")
    assert {
        "security.protocol": "SASL_SSL",
        "retries": "6",
        "idempotence": "true",
        "sasl.password": "p",
    } == sources.load().settings.kafka.options


def test_the_file_beside_us_is_found(sources: Sources) -> None:
    """./trimtab.toml is read when nothing else is named."""
    Path("trimtab.toml").write_text("home = 'here'")
    assert "here" == sources.load().settings.home


def test_a_named_file_is_read_instead(sources: Sources, tmp_path: Path) -> None:
    """TRIMTAB_CONFIG wins over ./trimtab.toml, and --config over both."""
    Path("trimtab.toml").write_text("home = 'here'")
    (tmp_path / "other.toml").write_text("home = 'there'")
    sources.environment["TRIMTAB_CONFIG"] = "other.toml"
    assert "there" == sources.load().settings.home
    sources.write("home = 'given'")
    assert "given" == sources.load().settings.home


def test_a_secret_may_be_in_a_file_of_its_own(sources: Sources, tmp_path: Path) -> None:
    """TRIMTAB_..._FILE names a file with the value, as container secrets are mounted."""
    (tmp_path / "secret").write_text('{"sasl.password": "p"}\n')
    sources.environment["TRIMTAB_KAFKA__OPTIONS_FILE"] = str(tmp_path / "secret")
    assert {"sasl.password": "p"} == sources.load().settings.kafka.options


def test_a_setting_that_is_called_file_is_one(sources: Sources) -> None:
    """TRIMTAB_ROUTES__FILE is routes.file, not a secret file for a setting named routes."""
    sources.environment["TRIMTAB_ROUTES__FILE"] = "routes.yaml"
    assert "routes.yaml" == sources.load().settings.routes.file


def test_variables_that_are_not_ours_are_left_alone(sources: Sources) -> None:
    """HOME is not `home`; neither are the two variables that say how to run."""
    sources.environment |= {"HOME": "/nowhere", "TRIMTAB_DEBUG": "1", "TRIM": "x"}
    assert ".trimtab" == sources.load().settings.home


def test_the_checkpoint_lives_below_home(sources: Sources) -> None:
    """Unless it is told to live elsewhere."""
    sources.flags.append("home=mine")
    assert "mine/checkpoint" == sources.load().settings.controller.checkpoint
    sources.flags.append("controller.checkpoint=elsewhere")
    assert "elsewhere" == sources.load().settings.controller.checkpoint


# ------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "[policy]\nsession_timout = '9s'",
            "unknown setting policy.session_timout in FILE; did you mean policy.session_timeout?",
        ),
        ("[polcy]\nx = 1", "unknown setting polcy in FILE"),
        ("topics = 3", "topics in FILE must be a table"),
        ("[kafka]\noptions = 'x'", "kafka.options in FILE must be a table"),
        ("[policy", "FILE: Expected ']' at the end of a table declaration (at end of document)"),
        (
            "[policy]\nsession_timeout = 10",
            (
                'policy.session_timeout = "10" (file FILE) must be a number and a unit '
                '(d, h, m, s, ms), like "10s"'
            ),
        ),
        (
            "[topics]\npartitions = 'many'",
            (
                'topics.partitions = "many" (file FILE) should be a valid integer, '
                "unable to parse string as an integer"
            ),
        ),
        (
            "[policy]\nsession_timeout = '4s'",
            "policy: session_timeout must be at least twice heartbeat_interval",
        ),
        (
            "[policy]\nstrategy = 'AVERAGE'",
            "policy: strategy: no strategy is called 'AVERAGE'; there are: AVG, ",
        ),
        (
            "[controller]\nmax_clock_step = '100ms'",
            (
                "controller.max_clock_step must be at least controller.tick_interval, "
                "or the log's clock falls behind"
            ),
        ),
        (
            "[topics]\nreplication_factor = 3",
            (
                "topics.replication_factor must be 1 on the embedded Kafka, which is one broker; "
                "or set kafka.bootstrap_servers"
            ),
        ),
    ],
)
def test_one_line_says_what_is_wrong_in_the_file(
    sources: Sources, file: str, expected: str
) -> None:
    """It names the key, the value and the file, before anything has started."""
    sources.write(file)
    (line,) = sources.refusal()
    assert line.startswith(expected)


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        (
            "TRIMTAB_POLICY__SESION_TIMEOUT",
            "9s",
            (
                "unknown setting TRIMTAB_POLICY__SESION_TIMEOUT in the environment; "
                "did you mean TRIMTAB_POLICY__SESSION_TIMEOUT?"
            ),
        ),
        (
            "TRIMTAB_KAFKA__OPTIONS",
            "[1]",
            (
                "kafka.options (environment TRIMTAB_KAFKA__OPTIONS) must be a JSON object, "
                'like {"name": "value"}'
            ),
        ),
        (
            "TRIMTAB_KAFKA__OPTIONS_FILE",
            "nowhere",
            "TRIMTAB_KAFKA__OPTIONS_FILE: nowhere: no such file or directory",
        ),
        (
            "TRIMTAB_CONFIG",
            "nowhere.toml",
            "the settings file: nowhere.toml: no such file or directory",
        ),
        (
            "TRIMTAB_CONTROLLER__UI_PORT",
            "70000",
            (
                'controller.ui_port = "70000" (environment TRIMTAB_CONTROLLER__UI_PORT) '
                "should be less than or equal to 65535"
            ),
        ),
    ],
)
def test_one_line_says_what_is_wrong_in_the_environment(
    sources: Sources, variable: str, value: str, expected: str
) -> None:
    """It names the variable, so that it can be found."""
    sources.environment[variable] = value
    assert [expected] == sources.refusal()


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        (
            "polcy.strategy=AVG",
            "unknown setting polcy.strategy in --set; did you mean policy.strategy?",
        ),
        ("policy.strategy", "--set policy.strategy: give it as KEY=VALUE"),
        (
            "controller.fetch_wait=0s",
            (
                'controller.fetch_wait = "0s" (flag --set controller.fetch_wait) '
                "must be longer than zero"
            ),
        ),
    ],
)
def test_one_line_says_what_is_wrong_in_a_flag(sources: Sources, flag: str, expected: str) -> None:
    """It names the key as the flag did."""
    sources.flags.append(flag)
    assert [expected] == sources.refusal()


def test_every_problem_has_its_line(sources: Sources) -> None:
    """Whoever mends a file should not have to run it once for each mistake."""
    sources.write("[log]\nlevel = 'loud'\n[topics]\npartitions = 0")
    assert 2 == len(sources.refusal())


def test_a_value_and_its_file_are_not_both(sources: Sources) -> None:
    """Which of them is meant is not for us to guess."""
    sources.environment |= {"TRIMTAB_HOME": "a", "TRIMTAB_HOME_FILE": "b"}
    assert ["both TRIMTAB_HOME and TRIMTAB_HOME_FILE are set: unset one"] == sources.refusal()


# ----------------------------------------------------------------------------------- what is shown


@pytest.mark.parametrize(
    "name",
    ["sasl.password", "ssl.key.location", "oauth.client.SECRET", "token", "sasl.jaas.config"],
)
def test_secrets_are_masked_wherever_they_appear(sources: Sources, name: str) -> None:
    """In every format of `config show`, and in the error about them."""
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({name: "hunter2"})
    loaded = sources.load()
    shown = {row["key"]: row["value"] for row in rows(loaded)}
    assert MASK == shown[f"kafka.options.{name}"]
    assert "hunter2" not in toml(loaded)
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({name: ["hunter2"]})
    assert "hunter2" not in "\n".join(sources.refusal())


def test_every_setting_is_shown_with_its_origin(sources: Sources) -> None:
    """One row for each key, and no key without one."""
    sources.flags.append("spark.options.spark.x=y")
    shown = {row["key"]: row["origin"] for row in rows(sources.load())}
    expected = {dotted(key) for key in leaves() | tables()} - {"spark.options"}
    assert expected | {"spark.options.spark.x"} == set(shown)
    assert "flag --set spark.options.spark.x" == shown["spark.options.spark.x"]


def test_what_is_shown_as_toml_is_a_settings_file(sources: Sources) -> None:
    """Reading it gives the same settings, odd option names included."""
    sources.flags += ['kafka.options={"a.b": "c\\"d", "plain": "é"}', "policy.session_timeout=90s"]
    shown = sources.load()
    sources.flags.clear()
    sources.write(toml(shown))
    assert shown.settings == sources.load().settings


def test_the_schema_accepts_what_we_accept(sources: Sources) -> None:
    """An editor that checks trimtab.toml with `config schema` agrees with us."""
    schema = Settings.model_json_schema(mode="serialization")
    jsonschema.validate(tomllib.loads(toml(sources.load())), schema)
    wrongs: list[dict[str, object]] = [{"polcy": {}}, {"policy": {"session_timeout": 10}}]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_every_setting_says_what_it_costs() -> None:
    """No field without a description: it is all that `config schema` has to tell."""

    def undocumented(model: type[BaseModel]) -> Iterator[str]:
        for name, info in model.model_fields.items():
            kind = info.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from undocumented(kind)
            elif not info.description:
                yield f"{model.__name__}.{name}"

    assert [] == list(undocumented(Settings))
