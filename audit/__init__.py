"""The auditor: an independent reading of what was said, that trusts nobody's books.

It knows the rules of the baton only as the wire shows them, shares no line with the brain, and so
can catch it lying. The simulation shows it every step; `trimtab check` shows it recorded topics.
Read in this order: ``history`` (what it is shown), ``possession`` (one owner), ``checker``.

Its one rule: it judges by what was published and heard, never by what somebody meant.
"""
