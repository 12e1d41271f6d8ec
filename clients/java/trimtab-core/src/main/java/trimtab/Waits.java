package trimtab;

import java.time.Duration;

/** Times to wait, as people give them: their "for ever" is added to a clock, and must not overflow. */
public final class Waits {
    /** A hundred years: as long as for ever, also in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Waits() {}

    /** The milliseconds of a time; for ever is a hundred years, and less than none is none. */
    public static long millis(Duration given) {
        if (given.isNegative()) {
            return 0;
        }
        return (given.compareTo(LONGEST) > 0 ? LONGEST : given).toMillis();
    }
}
