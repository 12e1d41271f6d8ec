"""The data plane: it reads from Kafka what a member was granted, and commits what is done.

`trimtab.Consumer` is its face. Three threads share it: the application takes messages (`intake`),
the member's callbacks begin and end queues (`handover`), and `upkeep` commits and looks after the
rest. A fourth watches that the first one comes back (`loop_watch`).
"""
