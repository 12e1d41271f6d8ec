"""Settings: which source wins, and where a value is looked for."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from console.settings.keys import leaves, tables
from console.settings.units import milliseconds
from rebalance.groups.model.policy import Policy
from tests.unit.console.conftest import Sources
from trimtab.guard_lines import ADDRESS
from trimtab.protocol.topics import TOPICS


def test_defaults_are_the_brain_s_own(sources: Sources) -> None:
    """A setting that nobody gave has the default of the layer that uses it.

    But for standing heirs, without which tests of everything else say less.
    """
    settings = sources.load().settings
    assert Policy(standing_heirs=True) == settings.policy.policy(settings.controller.max_clock_step)
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


def test_a_strategy_s_options_keep_their_types(sources: Sources) -> None:
    """A number in a file, a table in a variable, text in a flag; the policy carries JSON."""
    sources.write("[policy]\nstrategy = 'CANARY'\n[policy.strategy_options]\npercent = 10")
    weights = '{"queue_weights": {"orders": 5}}'
    sources.environment["TRIMTAB_POLICY__STRATEGY_OPTIONS"] = weights
    sources.flags += ["policy.strategy_options.prefix=7"]
    policy = sources.load().settings.policy.policy(timedelta(seconds=2))

    assert {
        "percent": 10,
        "prefix": "7",
        "queue_weights": {"orders": 5},
    } == json.loads(policy.strategy_options)


def test_a_checkpoint_that_is_left_empty_is_below_home(sources: Sources) -> None:
    """Templates set variables to nothing; the empty path would be wherever one happens to be."""
    sources.environment |= {"TRIMTAB_HOME": "a", "TRIMTAB_CONTROLLER__CHECKPOINT": ""}

    assert "a/checkpoint" == sources.load().settings.controller.checkpoint


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


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_files_are_utf_8_whatever_the_locale_is(tmp_path: Path, encoding: str) -> None:
    """A cron job's would make another word of a password that Kafka then refuses."""
    file, secret = tmp_path / "trimtab.toml", tmp_path / "secret"
    file.write_text('home = "café"', encoding)
    secret.write_text('{"sasl.username": "grün"}', encoding)
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    env = {**os.environ, **plain, "TRIMTAB_KAFKA__OPTIONS_FILE": str(secret)}
    call = [sys.executable, "-m", "console.main", "config", "show", "-c", str(file), "-o", "json"]
    rows = json.loads(subprocess.check_output(call, env=env))
    shown = {row["key"]: row["value"] for row in rows}

    assert ("café", "grün") == (shown["home"], shown["kafka.options.sasl.username"])


def test_a_setting_that_is_called_file_is_one(sources: Sources) -> None:
    """TRIMTAB_ROUTES__FILE is routes.file, not a secret file for a setting named routes."""
    sources.environment["TRIMTAB_ROUTES__FILE"] = "routes.yaml"
    assert "routes.yaml" == sources.load().settings.routes.file


def test_variables_that_are_not_ours_are_left_alone(sources: Sources) -> None:
    """HOME is not `home`; neither are the two variables that say how to run."""
    sources.environment |= {"HOME": "/nowhere", "TRIMTAB_DEBUG": "1", "TRIM": "x"}
    assert ".trimtab" == sources.load().settings.home


@pytest.mark.parametrize(
    "variable",
    [
        ADDRESS,
        *("TRIMTAB_KAFKA", "TRIMTAB_GROUPS", "TRIMTAB_PREFIX", "TRIMTAB_PATIENCE"),
        "TRIMTAB_KAFKA_OPTIONS",
    ],
)
def test_variables_of_our_other_programs_stop_nothing(sources: Sources, variable: str) -> None:
    """A guard's, and those of the hook in RocketMQ's brokers: none is a setting's."""
    names = {"TRIMTAB_" + "__".join(key).upper() for key in leaves() | tables()}
    before = sources.load().settings
    sources.environment[variable] = "x"
    assert before == sources.load().settings
    assert variable not in names


def test_what_kubernetes_tells_of_a_service_is_no_setting(sources: Sources) -> None:
    """Ours is called `trimtab`; a setting with one underscore too few is still refused."""
    before = sources.load().settings
    sources.environment |= {
        "TRIMTAB_SERVICE_HOST": "10.0.0.1",
        "TRIMTAB_SERVICE_PORT": "9404",
        "TRIMTAB_SERVICE_PORT_METRICS": "9404",
        "TRIMTAB_PORT": "tcp://10.0.0.1:9404",
        "TRIMTAB_PORT_9404_TCP": "tcp://10.0.0.1:9404",
        "TRIMTAB_PORT_9404_TCP_PROTO": "tcp",
        "TRIMTAB_REDIS_PORT_6379_TCP_ADDR": "10.0.0.2",
    }
    assert before == sources.load().settings

    sources.environment["TRIMTAB_CONTROLLER_HTTP_PORT"] = "9404"
    assert "TRIMTAB_CONTROLLER_HTTP_PORT" in "\n".join(sources.refusal())


def test_the_checkpoint_lives_below_home(sources: Sources) -> None:
    """Unless it is told to live elsewhere."""
    sources.flags.append("home=mine")
    assert "mine/checkpoint" == sources.load().settings.controller.checkpoint
    sources.flags.append("controller.checkpoint=elsewhere")
    assert "elsewhere" == sources.load().settings.controller.checkpoint
