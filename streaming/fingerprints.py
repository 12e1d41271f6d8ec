"""Fingerprints: what Spark makes of each beat, so that a known one need not be decoded.

Of a record of the heartbeats the number is cut out, and what is before and after it is hashed, with
the key. That costs a fraction of what a parser does. Nothing else is given one (``wire.beats``).

Used by ``pipeline``. Its one rule: a number counts only if the value is put together again from it
and from what is around it, so that two values of one fingerprint differ in their numbers alone.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from streaming.options import Options
from streaming.topics import names
from streaming.wire.beats import MOST_BYTES, NO_NUMBER, NUMBER_KEY
from streaming.wire.rows import Row
from trimtab.protocol import HEARTBEATS, limits


def fingerprinted(rows: DataFrame, options: Options) -> DataFrame:
    """Give each record a fingerprint; but for small ones of the heartbeats it has no number.

    Nor has one of a partition that the topic was given later: it is nobody's (``dealt``).
    """
    heartbeats = f.col("topic").isin(names(options.topics.prefix, (HEARTBEATS,)))
    ours = f.col("partition") < f.lit(options.topics.partitions)
    small = heartbeats & ours & (f.col("size") <= MOST_BYTES)
    before_number = f.octet_length("head") + len(NUMBER_KEY)
    # Neither `substring_index(…, -1)`, which compares the whole name at each byte from the end, nor
    # parts of a text, which are found character by character: together a third of a fingerprint.
    for name, column in {
        "bytes": f.when(small, f.col("value")).otherwise(f.lit(b"")),
        "beat": f.col("bytes").cast("string"),
        "head": f.substring_index("beat", NUMBER_KEY, 1),
        "tail": _text_after(before_number),
        "digits": f.substring_index(f.substring_index("tail", ",", 1), "}", 1),
        "rest": _text_after(before_number + f.octet_length("digits")),
        "read": f.col("digits").try_cast("bigint"),
    }.items():
        rows = rows.withColumn(name, column)
    again = f.concat("head", f.lit(NUMBER_KEY), f.col("read").cast("string"), "rest")
    is_once = ~f.contains("rest", f.lit(NUMBER_KEY))
    is_a_number = f.col("read").between(0, limits.SAFE_INTEGER)
    valid = (f.col("beat") == again) & is_once & is_a_number
    number = f.coalesce(f.when(valid, f.col("read")), f.lit(NO_NUMBER).cast("bigint"))
    first, second = f.xxhash64("key", "head", "rest"), f.xxhash64(f.lit(1), "key", "head", "rest")
    return rows.select(
        *Row._fields, first.alias("first"), second.alias("second"), number.alias("number")
    )


def _text_after(place: Column) -> Column:
    """What is left after so many bytes of a beat."""
    return f.substring(f.col("bytes"), place + 1, f.lit(MOST_BYTES)).cast("string")
