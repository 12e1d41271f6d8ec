package trimtab.session;

/**
 * Asking to join: when it is due, and how soon again.
 *
 * <p>A join may be lost, or its answer; so a member asks until it is answered, ever more rarely.
 * Only an answer ends it. For what a member says anew it is enough that Kafka has it.
 */
final class Asking {
    /** The controller answers within a batch (some 300 ms); asking sooner again is only load. */
    private static final long FIRST_RETRY_MS = 2_000;

    /** Three doublings later: a controller that is away reads the joins on its return. */
    private static final long LAST_RETRY_MS = 16_000;

    /** Null: nothing is asked. */
    Long dueAt;

    private long retryMs = FIRST_RETRY_MS;
    private long lastTicket;
    /** Whether the last join says something new that Kafka may not have. */
    private boolean unsaid;

    Asking(long dueAt) {
        this.dueAt = dueAt;
    }

    /** Ask at once; a member that is asking already keeps its own schedule. */
    void begin(long now) {
        if (dueAt == null) {
            dueAt = now;
            retryMs = FIRST_RETRY_MS;
        }
    }

    /** Ask at once, for a new life: an answer to the last one would not be for it. */
    void renew(long now) {
        begin(now);
        dueAt = now;
    }

    /** Say something new at once. */
    void change(long now) {
        renew(now);
        unsaid = true;
    }

    void asked(long ticket, long now) {
        lastTicket = ticket;
        dueAt = now + retryMs;
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    }

    /** A record did not reach Kafka. If it was the join, it was no load to the controller. */
    void failed(long ticket, long now) {
        if (ticket == lastTicket && (dueAt != null || unsaid)) {
            long soon = now + FIRST_RETRY_MS;
            dueAt = dueAt == null ? soon : Math.min(dueAt, soon);
        }
    }

    void acknowledged(long ticket) {
        if (ticket == lastTicket) {
            unsaid = false;
        }
    }

    void answered() {
        dueAt = null;
    }

    /** No answer is needed any more. */
    void end() {
        dueAt = null;
        unsaid = false;
    }
}
