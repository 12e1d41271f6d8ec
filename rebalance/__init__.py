"""The brain of the controller, and the vocabulary that everybody else speaks.

Pure: standard library only, no input or output, no clock, no randomness, no logging. Time comes
in with the events. Read in this order: ``ids``, ``events``, ``decisions``, ``group``, ``step``,
``membership``, ``target``, ``handover``; the last one holds the idea that makes trimtab fast.

Its one rule: whatever cannot be replayed does not belong here.
"""
