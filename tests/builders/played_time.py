"""Time that goes on only when somebody waits, however busy the machine is.

It takes the place of the module ``time`` in what a test is about.
"""


class PlayedTime:
    """What shows how late it is, and lets time pass.

    Args:
        now: What it shows at first.
    """

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def monotonic(self) -> float:
        """Tell how late it is."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let it pass."""
        self.now += seconds
