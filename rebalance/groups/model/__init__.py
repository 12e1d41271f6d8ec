"""The values of a step: events in, a state, decisions out; and the books, the roster, the draft.

No module here decides anything.
"""
