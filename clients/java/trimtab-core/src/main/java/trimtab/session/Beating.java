package trimtab.session;

/** When the next beat is due: an interval after the last one, and sooner if there is news. */
final class Beating {
    /** Changes of ownership are told at once, but a storm of them in one beat per tenth of a second. */
    private static final long SPACING_MS = 100;

    /** What did not reach Kafka goes out again with the next beat: no later than with the usual one. */
    private static final long AGAIN_MS = 3_000;

    long dueAt;
    private long intervalMs;
    private long beatenAt;

    /** A new life has said nothing yet, so that its first news goes out at once. */
    Beating(long intervalMs, long now) {
        this.intervalMs = intervalMs;
        this.beatenAt = now - SPACING_MS;
        this.dueAt = now + intervalMs;
    }

    void keepTo(long otherIntervalMs) {
        intervalMs = otherIntervalMs;
        dueAt = Math.min(dueAt, beatenAt + intervalMs);
    }

    /** There is news. */
    void hasten() {
        dueAt = Math.min(dueAt, beatenAt + SPACING_MS);
    }

    /** Something has to be said again. */
    void failed() {
        dueAt = Math.min(dueAt, beatenAt + AGAIN_MS);
    }

    void beaten(long now) {
        beatenAt = now;
        dueAt = now + intervalMs;
    }
}
