package trimtab;

import java.time.Duration;

/**
 * The call of a listener that runs at this moment: for people, who are told when it takes too long.
 *
 * <p>One thread makes calls, any may look.
 */
public final class Running {
    /** For a call that has no time of its own. */
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final String REVOKED = "onRevoked";

    private final Duration wished;
    private volatile long since;
    private volatile String name;
    /** Written last, and read first; null: nothing runs. */
    private volatile Thread thread;

    /** For who has asked for so much time for a revocation. */
    public Running(Duration wished) {
        this.wished = wished;
    }

    /** Makes a call of this name. */
    public void call(String itsName, Runnable work) {
        name = itsName;
        since = System.nanoTime();
        thread = Thread.currentThread();
        try {
            work.run();
        } finally {
            thread = null;
        }
    }

    /** What runs for too long if a revocation is granted that, where it is, and what comes of it; null: nothing does. */
    public String tooLong(Duration granted) {
        Thread caller = thread;
        boolean isRelease = REVOKED.equals(name);
        Duration limit = isRelease ? granted.dividedBy(2) : LONG;
        if (caller == null || System.nanoTime() - since < limit.toNanos()) {
            return null;
        }
        String what = name + " has been running for " + seconds(limit) + placeOf(caller);
        if (!isRelease) {
            return what + ": no other callback runs meanwhile, so no queue can be handed over";
        }
        return what + ": after " + seconds(granted.multipliedBy(4).dividedBy(5)) + " the member loses all its queues. Make it"
                + " faster" + (granted.compareTo(wished) < 0
                        ? ": the controller grants no more than " + seconds(granted)
                        : ", or revocationTimeout (" + seconds(granted) + ") longer");
    }

    /** The innermost line that is not Java's own. */
    private static String placeOf(Thread caller) {
        for (StackTraceElement each : caller.getStackTrace()) {
            if (!each.getClassName().matches("(java|javax|jdk|sun)\\..*")) {
                String line = each.getFileName() + ":" + each.getLineNumber();
                return " (" + each.getClassName() + "." + each.getMethodName() + ", " + line + ")";
            }
        }
        return "";
    }

    private static String seconds(Duration time) {
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() / 1_000.0 + " s";
    }
}
