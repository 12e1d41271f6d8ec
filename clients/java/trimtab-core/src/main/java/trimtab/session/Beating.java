package trimtab.session;

/** When the next beat is due: an interval after the last one, and sooner if there is news. */
final class Beating {
    /** Changes of ownership are told at once, but a storm of them in one beat per tenth of a second. */
    private static final long SPACING_MS = 100;

    long dueAt;
    private long intervalMs;
    private long lastBeatAt;

    /** A new life has said nothing yet, so that its first news goes out at once. */
    Beating(long intervalMs, long now) {
        this.intervalMs = intervalMs;
        this.lastBeatAt = now - SPACING_MS;
        this.dueAt = now + intervalMs;
    }

    void keepTo(long otherIntervalMs) {
        intervalMs = otherIntervalMs;
        dueAt = Math.min(dueAt, lastBeatAt + intervalMs);
    }

    /** There is news. */
    void hasten() {
        dueAt = Math.min(dueAt, lastBeatAt + SPACING_MS);
    }

    /** Something is said again with the next beat: who beats more rarely does so as usual. */
    void failed(long usualMs) {
        if (intervalMs > usualMs) {
            dueAt = Math.min(dueAt, lastBeatAt + usualMs);
        }
    }

    void sent(long now) {
        lastBeatAt = now;
        dueAt = now + intervalMs;
    }
}
