"""The auditor: an independent check of what was published.

It knows the rules of the baton only as the wire shows them, shares no code with the brain, and so
can find its mistakes. The simulation shows it every step; `trimtab check` shows it recorded topics.
Read in this order: ``history`` (what it is shown), ``possession`` (one owner), ``checker``.

Its one rule: it judges by what was published and heard, never by what was meant.
"""
