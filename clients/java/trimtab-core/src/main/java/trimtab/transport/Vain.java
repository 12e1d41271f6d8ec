package trimtab.transport;

/**
 * For how long something has been tried in vain: whoever tries begins anew after a minute. So a client whose
 * addresses, login or files have changed is replaced, and seldom, for each tells all its settings in the log.
 */
public final class Vain {
    private static final long AFRESH_NS = 60_000_000_000L;

    /** Null: it works, as far as is known. */
    private volatile Long since;

    /** It has worked. */
    public void works() {
        since = null;
    }

    /** It has not, or not yet. */
    public void fails() {
        if (since == null) {
            since = System.nanoTime();
        }
    }

    /** Whether it is tried in vain now. */
    boolean isVain() {
        return since != null;
    }

    /** Whether to begin anew; after that it is as if it had worked. */
    public boolean isTooLong() {
        Long began = since;
        boolean isTooLong = began != null && System.nanoTime() - began > AFRESH_NS;
        if (isTooLong) {
            since = null;
        }
        return isTooLong;
    }
}
