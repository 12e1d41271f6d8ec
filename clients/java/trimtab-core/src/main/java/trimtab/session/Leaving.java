package trimtab.session;

/**
 * How a member that was asked to leave lets go, and until when.
 *
 * <p>At first it hands on what has an heir, and works on the rest. When its time is up it is in a
 * hurry: it stops all work. Who leaves for a while hurries from the start, and releases to nobody.
 * Being asked again never gives it more time.
 */
final class Leaving {
    /** Time for the last records of a member that works on nothing: a few retries. */
    private static final long FAREWELL_MS = 2_000;

    /** When it begins to hurry, or just goes; null: it was not asked to leave. */
    Long deadline;
    boolean temporary;
    boolean hurried;
    /** Of its last record. */
    Long ticket;

    void begin(long until, boolean forAWhile) {
        deadline = until;
        temporary = forAWhile;
    }

    void beginAgain(long until) {
        if (deadline != null && !hurried) {
            deadline = Math.min(deadline, until);
        }
    }

    /** The time is up; to stop it has as long as a revocation may take. */
    void hurry(Baton baton, long now, long patience) {
        hurried = true;
        deadline = now + (baton.owned().isEmpty() ? FAREWELL_MS : patience);
    }

    /** Let go of what need not wait: all that has an heir, and in a hurry everything. */
    Changes letGo(Baton baton, long now, long patience) {
        if (hurried && deadline != null) {
            return baton.revokeAll(deadline, temporary);
        }
        return baton.handOn(now + patience);
    }
}
