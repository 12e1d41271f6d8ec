"""The faults of broker availability, and what counts as their having happened.

The names are those of the project's fault catalogue, as in ``tests.simulation.faults``. A fault
counts where it takes effect: a liar who was silent has not lied.
"""

from typing import Final

FAULTS: Final = {
    "E1": "all brokers are slow at once, and a panic is published",
    "E2": "one broker is bad for all, and out in time",
    "E3": "one reporter lies",
    "E4": "a minority agrees on a lie",
    "E5": "a reporter's network is bad: it complains of everybody",
    "E6": "too few reporters or calls to tell, while a broker is bad",
    "E7": "a broker oscillates",
    "E8": "reports stop while a broker is out",
    "E9": "figures that cannot be true",
    "E10": "a broker is replaced under its name",
    "I11": "the last broker of a topic is bad, and stays",
    "A1": "the controller is killed in the middle of a batch, and repeats it",
    "A2": "the controller is away",
    "B3": "a report arrives twice",
    "B4": "reports overtake each other",
    "B5": "a report arrives when nobody waits for it any more",
    "F2": "a report is lost",
    "G3": "an operator's order stands against the jury",
}
