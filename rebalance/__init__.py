"""The brain of the controller, and the vocabulary that everybody else speaks.

Pure: no input or output, no clock, no randomness, no logging; time comes in with the events. Read
in this order: ``ids``, ``events``, ``decisions``, ``group``, ``step``, ``membership``, ``target``,
``handover``; the last one holds the idea that makes trimtab fast. ``verdicts`` is a second brain,
for brokers: it shares only the vocabulary, and the fault tables of the SDK (``trimtab.faults``).

Its one rule: whatever cannot be replayed does not belong here.
"""
