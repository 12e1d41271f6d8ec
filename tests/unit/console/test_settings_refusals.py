"""Settings: what is refused, in one line that names the key, the value and who gave it."""

import pytest

from tests.unit.console.conftest import Sources


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
        (
            "[kafka.options]\n'bootstrap.servers' = 'kafka:9092'",
            "kafka.options: bootstrap.servers counts for nothing here: set kafka.bootstrap_servers",
        ),
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
            "policy: session_timeout must lie between its minimum and its maximum",
        ),
        (
            "[spark]\nmaster = 'spark://m:7077'\ndriver_host = 'here'",
            (
                "controller.checkpoint must be set, because spark.master is spark://m:7077: a "
                "place that Spark's workers reach as well, under the same name (docs/cluster.md)"
            ),
        ),
        (
            "[policy]\nheartbeat_interval = '6s'",
            "policy: session_timeout must be at least twice heartbeat_interval",
        ),
        (
            "[policy]\nsession_timeout_min = '3s'",
            (
                "policy: session_timeout_min (3000 ms) must be at least 5 times "
                "controller.max_clock_step (2000 ms), or a clock that jumps ends living sessions: "
                "shorter sessions need a shorter step, and ticks and batches of beats at shorter "
                "intervals"
            ),
        ),
        (
            "[controller]\nmax_clock_step = '3s'",
            (
                "policy: session_timeout_min (10000 ms) must be at least 5 times "
                "controller.max_clock_step (3000 ms), or"
            ),
        ),
        (
            "[topics.retention]\nreleases = '1d'",
            "topics.retention: releases must be kept at least as long as members: a controller",
        ),
        (
            "[policy]\nstrategy = 'AVERAGE'",
            "policy: strategy: no strategy is called 'AVERAGE'; there are: AVG, ",
        ),
        (
            "[policy.strategy_options]\npercent = 10",
            "policy: strategy_options: unknown option percent",
        ),
        (
            "[policy]\nstrategy = 'CANARY'",
            "policy: strategy_options: CANARY needs the options prefix and percent",
        ),
        (
            "[policy]\nstrategy = 'CONSISTENT_HASH'\nstrategy_options = {virtualNodeCnt = -1}",
            "policy: strategy_options: illegal virtualNodeCnt :-1",
        ),
        (
            "[controller]\nmax_clock_step = '100ms'",
            (
                "controller.max_clock_step must be at least controller.heartbeat_batch_interval "
                "and controller.tick_interval together, or the log's clock falls behind"
            ),
        ),
        (
            "[controller]\nheartbeat_batch_interval = '4001ms'",
            (
                "controller.max_clock_step must be at least controller.heartbeat_batch_interval "
                "and controller.tick_interval together, or the log's clock falls behind"
            ),
        ),
        (
            '[policy.strategy_options]\nracks = "kafka"',
            (
                "policy.strategy_options.racks needs routes.racks = true, or nobody knows in which "
                "racks partitions have replicas"
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
            "TRIMTAB_SPARK__MASTER",
            "spark://spark-1:7077",
            (
                "spark.driver_host must be set, because spark.master is spark://spark-1:7077: the "
                "address under which Spark's workers reach this process"
            ),
        ),
        (
            "TRIMTAB_HOME",
            "",
            'home = "" (environment TRIMTAB_HOME) String should have at least 1 character',
        ),
        (
            "TRIMTAB_CONFIG",
            "nowhere.toml",
            "the settings file: nowhere.toml: no such file or directory",
        ),
        (
            "TRIMTAB_CONTROLLER__NAME",
            "trimtab\n",
            (
                'controller.name = "trimtab\\n" (environment TRIMTAB_CONTROLLER__NAME) String '
                r"should match pattern '^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$'"
            ),
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
