"""Cases of broker faults: a line with a question in, the same line with its answer out.

How others check our fault rules, so the formats are fixed; docs/faults.md describes them. Called by
`trimtab faults`.
"""

from console.fault_cases.of_consensus import Consensus
from console.fault_cases.of_selectors import selector_answer
from console.fault_cases.of_tables import table_answer

__all__ = ["Consensus", "selector_answer", "table_answer"]
