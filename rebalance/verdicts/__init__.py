"""The second brain: which brokers of a cluster are fit for use, by what many producers report.

A jury. Each reporter has one vote on each broker in each sweep, cast by its own measure: whoever
finds everybody slow is slow itself. Only a quorum condemns, never all at once, never for ever, and
when the jury condemns half of the town the town is not guilty: then it is the jury, or the road.

Pure, as the rest of ``rebalance``. Read in this order: ``events``, ``policy``, ``cluster``,
``ballots``, ``detectors``, ``sentences``, ``sweep``, ``step``. Its one rule: a broker is out of
use only as long as fresh evidence of many says so; whatever is lacking, it is available.
"""
