"""The second brain: which brokers of a cluster are fit for use, by what many producers report.

The *jury*: each reporter has one vote on each broker in each sweep, by its own measure, because a
reporter that finds all brokers slow is slow itself. Only a quorum takes a broker out, never all at
once, never for ever; and if most brokers seem bad, the trouble is probably elsewhere and all stay
in use.

Pure, as the rest of ``rebalance``. Read in this order: ``events``, ``policy``, ``cluster``,
``ballots``, ``detectors``, ``ejections``, ``sweep``, ``step``. Its one rule: a broker is out of use
only as long as fresh evidence of many says so; whatever is lacking, it is available.
"""
