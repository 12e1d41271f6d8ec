"""Settings: what is shown of them, and what never is."""

import json
import shlex
import tomllib
from collections.abc import Iterator

import jsonschema
import pytest
from pydantic import BaseModel

from console.commands.options import as_given
from console.settings import Settings
from console.settings.keys import dotted, leaves, tables
from console.settings.masking import MASK
from console.settings.report import rows, toml
from tests.unit.console.conftest import Sources


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
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({name: "hunter2 https://idp/"})
    assert "hunter2" not in toml(sources.load())
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({name: ["hunter2"]})
    assert "hunter2" not in "\n".join(sources.refusal())


@pytest.mark.parametrize("value", [[{"password": "hunter2"}], {"password": ["hunter2"]}])
def test_what_is_no_text_is_masked_under_any_name(sources: Sources, value: object) -> None:
    """A table under a harmless name may hold a password."""
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({"sasl": value})
    assert "hunter2" not in "\n".join(sources.refusal())


def test_names_with_dots_need_no_quotes(sources: Sources) -> None:
    """In TOML each dot makes a table; an option has one name all the same."""
    sources.write('[kafka.options]\nsasl.password = "hunter2"\nsasl.mechanism = "PLAIN"\n')
    expected = {"sasl.password": "hunter2", "sasl.mechanism": "PLAIN"}
    assert expected == sources.load().settings.kafka.options


def test_a_hidden_secret_is_not_taken_for_one(sources: Sources) -> None:
    """What is shown as a file has it as a comment; who copies it elsewhere is told."""
    sources.environment["TRIMTAB_KAFKA__OPTIONS"] = json.dumps({"sasl.password": "hunter2"})
    sources.environment["TRIMTAB_REDIS__URL"] = "redis://ann:hunter2@cache:6379/0"
    shown = toml(sources.load())
    assert f'# "sasl.password" = "{MASK}"' in shown
    assert not tomllib.loads(shown)["kafka"]["options"]
    sources.environment.clear()
    sources.flags = [f"kafka.options.sasl.password={MASK}"]
    (line,) = sources.refusal()
    assert "give the value itself" in line
    sources.write(f'[kafka.options]\nsasl.password = "{MASK}"\n')
    sources.flags = ["kafka.options.sasl.password=hunter2"]
    assert {"sasl.password": "hunter2"} == sources.load().settings.kafka.options


def test_a_password_in_a_url_is_masked(sources: Sources) -> None:
    """Where it is stays to be seen; a wrong URL is not repeated."""
    sources.environment["TRIMTAB_REDIS__URL"] = "redis://ann:hunter2@cache:6379/0"
    loaded = sources.load()
    shown = {row["key"]: row["value"] for row in rows(loaded)}
    assert f"redis://{MASK}@cache:6379/0" == shown["redis.url"]
    assert "hunter2" not in toml(loaded)
    sources.environment["TRIMTAB_REDIS__URL"] = "redis://ann:p@hunter2@cache:6379/0"
    assert f"redis://{MASK}@cache:6379/0" in toml(sources.load())
    for wrong in ("http://ann:hunter2@cache:6379/0", "redis//ann:hunter2@cache:6379/0"):
        sources.environment["TRIMTAB_REDIS__URL"] = wrong
        assert "hunter2" not in "\n".join(sources.refusal())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://ann:hunter2@cache:6379/0", f"redis://{MASK}@cache:6379/0"),
        ("rediss://cache:6379/0?password=hunter2", f"rediss://cache:6379/0?{MASK}"),
        ("redis://cache?username=ann&password=p@hunter2", MASK),
        ("unix:///run/redis.sock?password=hunter2", f"unix:///run/redis.sock?{MASK}"),
        ("unix://:hunter2@/run/redis.sock", f"unix://{MASK}@/run/redis.sock"),
        ("redis://:hunter2/ss@cache:6379/0", MASK),
        ("redis://:pa/hunter2@cache:6379/0", MASK),
        ("redis://:pa?hunter2@cache:6379/0", MASK),
        ("redis://:pa#hunter2@cache:6379/0", MASK),
        ("redis://ann:hunter2", MASK),
        ("http://ann:hunter2@cache:6379/0", MASK),
    ],
)
def test_of_redis_only_its_place_is_shown(sources: Sources, url: str, shown: str) -> None:
    """Wherever a password may stand, also in a URL that nobody could use."""
    sources.environment["TRIMTAB_REDIS__URL"] = url
    if url.startswith("http"):
        assert f'redis.url = "{shown}" (environment TRIMTAB_REDIS__URL)' in sources.refusal()[0]
        return
    loaded = sources.load()
    assert shown == {row["key"]: row["value"] for row in rows(loaded)}["redis.url"]
    assert "hunter2" not in toml(loaded)
    assert "" == as_given(None, [f"redis.url={url}"])


@pytest.mark.parametrize("url", ["redis://cache", "redis://[::1]:6379/3", "unix:///run/redis.sock"])
def test_a_redis_without_secrets_is_shown_whole(sources: Sources, url: str) -> None:
    """It can be typed again."""
    sources.environment["TRIMTAB_REDIS__URL"] = url
    assert url == {row["key"]: row["value"] for row in rows(sources.load())}["redis.url"]
    typed = as_given(None, [f"redis.url={url}"])
    assert ["--set", f"redis.url={url}"] == shlex.split(typed)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("-Xmx1g -Djavax.net.ssl.keyStorePassword=hunter2", MASK),
        ("https://idp/?client_secret=hunter2", MASK),
        ("http://ann:hunter/2@proxy:80", f"http://{MASK}@proxy:80"),
        ("-Xmx1g -XX:+UseG1GC", "-Xmx1g -XX:+UseG1GC"),
    ],
)
def test_a_secret_within_an_option_is_masked(sources: Sources, value: str, shown: str) -> None:
    """Some options are themselves lists of options."""
    sources.flags = [f"spark.options.spark.driver.extraJavaOptions={value}"]
    loaded = sources.load()
    key = "spark.options.spark.driver.extraJavaOptions"
    assert shown == {row["key"]: row["value"] for row in rows(loaded)}[key]


def test_every_setting_is_shown_with_its_origin(sources: Sources) -> None:
    """One row for each key, and no key without one."""
    sources.flags.append("spark.options.spark.x=y")
    shown = {row["key"]: row["origin"] for row in rows(sources.load())}
    expected = {dotted(key) for key in leaves() | tables()} - {"spark.options"}
    assert expected | {"spark.options.spark.x"} == set(shown)
    assert "flag --set spark.options.spark.x" == shown["spark.options.spark.x"]


def test_each_part_of_an_option_has_its_origin(sources: Sources) -> None:
    """What another source says of the same table counts beside it."""
    weights = "policy.strategy_options.queue_weights"
    sources.write(f'[{weights}]\n"orders.eu" = 3\nmail = 2\nvisits = 4\n')
    sources.environment["TRIMTAB_POLICY__STRATEGY_OPTIONS"] = '{"queue_weights": {"mail": 5}}'
    sources.flags.append('policy.strategy_options={"queue_weights": {"visits": 7}}')
    shown = {row["key"]: (row["value"], row["origin"]) for row in rows(sources.load())}

    assert {
        f"{weights}.orders.eu": (3, f"file {sources.file}"),
        f"{weights}.mail": (5, "environment TRIMTAB_POLICY__STRATEGY_OPTIONS"),
        f"{weights}.visits": (7, "flag --set policy.strategy_options"),
    } == {key: it for key, it in shown.items() if str(key).startswith(weights)}


def test_what_is_shown_as_toml_is_a_settings_file(sources: Sources) -> None:
    """Reading it gives the same settings, odd option names included."""
    weights = 'policy.strategy_options={"queue_weights": {"t": [["", 0, 9]], "u v": 2}}'
    sources.flags += ['kafka.options={"a.b": "c\\"d", "plain": "é"}', weights]
    sources.flags += ["policy.share_numbers.café=3", "policy.share_numbers.keyed-orders=2"]
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
