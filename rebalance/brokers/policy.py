"""What an operator may choose about the jury, with the consequences.

A value made once from the settings, and checked when it is built: each number has a unit in its
name and a reason beside it.
"""

from dataclasses import dataclass
from typing import Literal

from rebalance.ids import Millis

Mode = Literal["off", "shadow", "enforce"]
"""Whether a detector's findings are not looked for, only published, or acted on."""
Judges = Literal["consensus", "rocketmq-4", "rocketmq-5"]
"""Who judges: the jury, or RocketMQ's table of either generation, by each report as it comes."""
Detector = Literal["failures", "errors", "latency", "drift"]
DETECTORS: tuple[Detector, ...] = ("failures", "errors", "latency", "drift")
"""In the order in which they are asked; the first one that wants it out gives the reason."""

ALL_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPolicy:
    """Detectors, quorum and ejections."""

    mode: Judges = "consensus"
    """With one of RocketMQ's tables every report counts alone, as in its clients: one reporter can
    take a broker out of use, as far as the limits allow. The detectors rest then."""

    failures: Mode = "enforce"
    """Calls that fail in a row."""
    errors: Mode = "shadow"
    """The share of failing calls. On trial at first: Envoy does not enforce its own either."""
    latency: Mode = "enforce"
    """Slow compared with the cluster, and with the broker's own past where there is one."""
    drift: Mode = "shadow"
    """Slow compared with the broker's own past alone. On trial: a busy hour looks the same. That
    most brokers drift at once counts as trouble (``panic_percent``) even then."""

    sweep_ms: Millis = Millis(10_000)
    """How often the votes are counted. Envoy's and gRPC's interval; shorter finds a fault sooner
    and has fewer votes to find it by."""
    quorum: int = 2
    """Reporters that it takes to eject, besides the majority of those that saw the broker. Fewer
    liars than that take none out of which nobody else complains, and bring none back."""
    failures_min: int = 5
    """Failures in a row, of the quorum together (Envoy, Finagle: 5)."""
    error_percent: int = 85
    error_calls_min: int = 50
    """Envoy's and gRPC's figures for the share of failing calls, and for how many it takes."""
    samples_min: int = 5
    """Calls in a sweep below which a reporter's latency says nothing (E6)."""
    latency_factor: float = 3.0
    """How many times slower than its peers, or than before, a broker must be."""
    recovery_factor: float = 1.5
    """And how near it must come to be taken back: between the two nothing changes (E7)."""
    latency_ms_min: float = 100.0
    """Below this nothing is slow: RocketMQ's ladders begin to count there."""
    latency_ms_max: float = 3_000.0
    """Above this everything is: RocketMQ's producers give up a send there."""
    past_sweeps: int = 30
    past_sweeps_min: int = 6
    """How much of a broker's past is kept (five minutes), and how much it takes to compare."""

    ejection_ms: Millis = Millis(30_000)
    ejection_ms_max: Millis = Millis(300_000)
    """The n-th time a broker is out for n times this, and never longer than the maximum (Envoy)."""
    jitter_percent: int = 10
    """Added by a hash, so that brokers that went together do not return together."""
    decay_ms: Millis = Millis(300_000)
    """After so much calm the count of ejections falls by one."""
    ejected_percent_max: int = 30
    """Of the known brokers, but one is always allowed, and the last of a topic never."""
    panic_percent: int = 50
    """When less than this would be left, health is ignored: all are available (Envoy)."""

    streak_ms: Millis = Millis(60_000)
    """For how long failures count of a reporter that has not tried the broker again since."""
    reporter_ms: Millis = Millis(60_000)
    """Silence after which a reporter is forgotten."""
    broker_ms: Millis = Millis(3_600_000)
    """Silence after which a broker is forgotten, its record with it."""
    renewal_ms: Millis = Millis(60_000)
    """How often standing verdicts are said again, so that readers know they are fresh."""
    reporters_max: int = 5_000
    brokers_max: int = 1_000
    topics_max: int = 10_000
    """Beyond these no new reporter is let in, so that the state is bounded."""

    def __post_init__(self) -> None:
        """Check the rules, above all those that span fields."""
        positive = ("sweep_ms", "quorum", "failures_min", "samples_min", "ejection_ms")
        percentages = (self.error_percent, self.panic_percent, self.ejected_percent_max)
        longest = min(self.reporter_ms, self.streak_ms)
        rules = {f"{name} must be positive": getattr(self, name) > 0 for name in positive} | {
            f"sweep must be at most {longest} ms: what reporters say lasts no longer": (
                self.sweep_ms <= longest
            ),
            "recovery_factor must lie between 1 and latency_factor": (
                1 < self.recovery_factor < self.latency_factor
            ),
            f"ejection_time must be at least {self.notice_ms} ms: sweep_interval and a half": (
                self.ejection_ms >= self.notice_ms or not self._ejects
            ),
            "ejection must not exceed its maximum": self.ejection_ms <= self.ejection_ms_max,
            "past_sweeps_min must lie between 1 and past_sweeps": (
                0 < self.past_sweeps_min <= self.past_sweeps
            ),
            "a percentage must lie between 0 and 100": all(
                0 <= percent <= ALL_PERCENT for percent in percentages
            ),
        }
        broken = [rule for rule, holds in rules.items() if not holds]
        if broken:
            raise ValueError(broken[0])

    def mode_of(self, detector: Detector) -> Mode:
        """Return what is done with a detector's findings."""
        if self.mode != "consensus":
            return "off"
        modes: dict[Detector, Mode] = {
            "failures": self.failures,
            "errors": self.errors,
            "latency": self.latency,
            "drift": self.drift,
        }
        return modes[detector]

    @property
    def _ejects(self) -> bool:
        """Whether any detector takes brokers out: RocketMQ's tables and trials need no notice."""
        return any(self.mode_of(it) == "enforce" for it in DETECTORS)

    @property
    def notice_ms(self) -> int:
        """Return how long before its end an ejection is prolonged, if it is: a sweep and a half.

        Readers drop a verdict by the clock, and the next count may be a little more than a sweep
        away. Prolonged only then, it would send all producers to the bad broker for the rest of it.
        """
        return self.sweep_ms * 3 // 2

    @property
    def tested_ms(self) -> int:
        """Return for how long at the end of an ejection the broker is tested: as the first time.

        At least for a sweep, in which testers are named, and the notice, in which they are heard.
        """
        return max(self.ejection_ms, self.sweep_ms + self.notice_ms)

    @property
    def testers(self) -> int:
        """How many reporters try a broker that is out: a quorum of honest ones, if some lie."""
        return 2 * self.quorum - 1
