"""The brain of the controller: it decides who works on which queue.

Pure: no input or output, no clock, no randomness, no logging; time comes in with the events. Read
in this order: ``ids``, then in ``groups`` ``model.events``, ``model.decisions``, ``model.state``,
``step``, ``members.membership``, ``target``, ``handover.baton``. The last one holds the idea that
makes hand-overs fast. ``brokers`` is a second brain: it shares only the vocabulary, and the fault
tables of the SDK (``trimtab.faults``).
"""
