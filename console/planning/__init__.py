"""Planning: what a group would do, asked of the controller's own code and told to nobody.

Called by `trimtab plan` and by commands with `--dry-run`. Its one rule: what would move is decided
by the brain (``rebalance.groups.step``), and never here.
"""
