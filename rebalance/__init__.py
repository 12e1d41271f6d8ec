"""The brain of the controller: it decides who works on which queue.

Pure: no input or output, no clock, no randomness, no logging; time comes in with the events. Read
in this order: ``ids``, ``events``, ``decisions``, ``group``, ``step``, ``membership``, ``target``,
``handover``. The last one holds the idea that makes hand-overs fast. ``verdicts`` is a second
brain, for brokers: it shares only the vocabulary, and the fault tables of the SDK
(``trimtab.faults``).
"""
