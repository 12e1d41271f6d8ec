"""Fingerprints: what Spark makes of each beat, so that a known one need not be decoded.

Of a record of the heartbeats the number is cut out, and what is before and after it is hashed, with
the key. That costs a fraction of what a parser does. Nothing else is given one (``wire.beats``).

Used by ``pipeline``. Its one rule: a number counts only if the value is put together again from it
and from what is around it, so that two values of one fingerprint differ in their numbers alone.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from streaming.options import Options
from streaming.topics import names
from streaming.wire.beats import MOST_BYTES, NO_NUMBER, NUMBER_KEY
from streaming.wire.rows import Row
from trimtab.protocol import HEARTBEATS, limits


def fingerprinted(rows: DataFrame, options: Options) -> DataFrame:
    """Give each record a fingerprint; but for small ones of the heartbeats it has no number."""
    heartbeats = f.col("topic").isin(names(options.topics.prefix, (HEARTBEATS,)))
    small = heartbeats & (f.col("size") <= MOST_BYTES)
    digits = f.substring_index(f.substring_index("tail", ",", 1), "}", 1)
    after = f.length("digits") + 1
    for name, column in {
        "beat": f.when(small, f.col("value")).otherwise(f.lit(b"")).cast("string"),
        "head": f.substring_index("beat", NUMBER_KEY, 1),
        "tail": f.substring_index("beat", NUMBER_KEY, -1),
        "digits": digits,
        "rest": f.substring(f.col("tail"), after, f.lit(MOST_BYTES)),
        "read": f.col("digits").try_cast("bigint"),
    }.items():
        rows = rows.withColumn(name, column)
    again = f.concat("head", f.lit(NUMBER_KEY), f.col("read").cast("string"), "rest")
    valid = (f.col("beat") == again) & f.col("read").between(0, limits.SAFE_INTEGER)
    number = f.coalesce(f.when(valid, f.col("read")), f.lit(NO_NUMBER).cast("bigint"))
    first, second = f.xxhash64("key", "head", "rest"), f.xxhash64(f.lit(1), "key", "head", "rest")
    return rows.select(
        *Row._fields, first.alias("first"), second.alias("second"), number.alias("number")
    )
