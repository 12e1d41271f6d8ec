"""How far trimtab is above the floor: the time from a record's append to its answer readable.

The floor is what Kafka and Spark cost by themselves: the same sources, session, checkpoint, sink
and ticks, with a state function that only counts. Both run in one go on one broker and take turns;
the one whose turn it is not is frozen, so that they never compete for a core, and what the
machine does meanwhile hits both. What is left between them is trimtab's own.
"""
