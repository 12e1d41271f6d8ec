"""`[brokers]`: what an operator may choose about the verdicts on brokers.

Defaults and the rules between fields are those of ``rebalance.brokers.policy.VerdictPolicy``, the
value that this section becomes; they are stated there once. What it all means is in docs/faults.md.
"""

from datetime import timedelta
from typing import Final, Self

from pydantic import Field, model_validator

from console.settings.section import Section
from console.settings.units import Duration, milliseconds
from rebalance.brokers.policy import Judges, Mode, VerdictPolicy
from rebalance.ids import Millis
from trimtab.protocol.names import ClusterName

_DEFAULT: Final = VerdictPolicy()


class BrokerSettings(Section):
    """Detectors, quorum and ejections."""

    mode: Judges = _DEFAULT.mode
    """Who decides: consensus is a quorum of reporters. rocketmq-4 and rocketmq-5 are RocketMQ's
    fault tables, where a single report is enough."""

    cluster: ClusterName | None = None
    """The name of this Kafka in producers' reports. Unset, it is Kafka's own cluster.id, which
    producers can look up, too. No topic of this cluster loses its last broker."""

    failures: Mode = _DEFAULT.failures
    """Failed calls in a row: off, shadow (only report the verdict) or enforce (apply it)."""

    errors: Mode = _DEFAULT.errors
    """The share of failing calls: off, shadow or enforce."""

    latency: Mode = _DEFAULT.latency
    """Slow compared with the other brokers and with before: off, shadow or enforce."""

    drift: Mode = _DEFAULT.drift
    """Slow compared only with before: off, shadow or enforce. A busy hour looks the same."""

    sweep_interval: Duration = timedelta(milliseconds=_DEFAULT.sweep_ms)
    """How often votes are counted. A shorter interval finds a fault sooner, from fewer calls. It
    must be longer than what producers report with (2 s by themselves, 10 s at most): only votes of
    one interval make a quorum."""

    quorum: int = Field(default=_DEFAULT.quorum, ge=1, le=50)
    """The least number of reporters that must complain of a broker, besides the majority. Fewer
    wrong reporters change nothing. A cluster with fewer producers than this has no verdicts."""

    slow_from: Duration = timedelta(milliseconds=_DEFAULT.latency_ms_min)
    """A broker that answers faster than this is never slow, however fast the others are."""

    ejection_time: Duration = timedelta(milliseconds=_DEFAULT.ejection_ms)
    """How long a broker is out the first time. The n-th time it is out n times as long. Where a
    detector enforces, a sweep and a half at least: a broker that stays bad then stays out."""

    ejection_time_max: Duration = timedelta(milliseconds=_DEFAULT.ejection_ms_max)
    """The longest time that a broker is out. It limits how long a mistake lasts."""

    max_ejected_percent: int = Field(default=_DEFAULT.ejected_percent_max, ge=0, le=100)
    """The share of brokers that may be out at once. One always may; the last of a topic never."""

    panic_percent: int = Field(default=_DEFAULT.panic_percent, ge=0, le=100)
    """If less than this share would be left, the controller ignores health: all are available."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        self.policy()  # which checks the rules between its fields
        return self

    def policy(self) -> VerdictPolicy:
        """Return the value that the jury reads."""
        return VerdictPolicy(
            mode=self.mode,
            failures=self.failures,
            errors=self.errors,
            latency=self.latency,
            drift=self.drift,
            sweep_ms=Millis(milliseconds(self.sweep_interval)),
            quorum=self.quorum,
            latency_ms_min=float(milliseconds(self.slow_from)),
            ejection_ms=Millis(milliseconds(self.ejection_time)),
            ejection_ms_max=Millis(milliseconds(self.ejection_time_max)),
            ejected_percent_max=self.max_ejected_percent,
            panic_percent=self.panic_percent,
        )
