"""Recorded topics: read back, folded again by the controller's own code, and judged.

Called by `trimtab replay` and `trimtab check`. Its one rule: what a recording means is decided by
the code that runs in production (``streaming.cell.fold``) or by the auditor, never here.
"""
