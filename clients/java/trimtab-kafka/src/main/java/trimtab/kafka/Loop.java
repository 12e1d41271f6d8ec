package trimtab.kafka;

import java.time.Duration;

/** The application's loop: which thread polls, and when it was there last. */
final class Loop {
    /** A look that comes so late was kept from coming: the machine slept, or the process was frozen. */
    private static final Duration FROZEN = Duration.ofSeconds(5);
    /** Far longer than to wait for messages takes at once. What takes longer hangs: a deserializer, say. */
    private static final Duration ONE_WAIT = Duration.ofSeconds(10);

    /** Who waits for messages, or works on what was handed out; null: nobody. */
    private volatile Thread taker;
    private volatile boolean polling;
    private volatile long polledAt = System.nanoTime();

    /** To come back says that what was handed out before is done; of another thread's that would be a lie. */
    synchronized void enter() {
        Thread other = taker;
        if (other != null && other != Thread.currentThread() && other.isAlive()) {
            throw new IllegalStateException("one thread at a time takes messages from a consumer: \""
                    + other.getName() + "\" waits for some, or works on them");
        }
        taker = Thread.currentThread();
    }

    void begin() {
        polledAt = System.nanoTime();
        polling = true;
    }

    /** It has waited for messages for a while, and is still there. */
    void goOn() {
        polledAt = System.nanoTime();
    }

    /** The application works on what it was given, if that is something; with nothing another thread may come. */
    synchronized void end(boolean some) {
        taker = some ? Thread.currentThread() : null;
        polledAt = System.nanoTime();
        polling = false;
    }

    /** After a rest of another thread: in the time in which nothing could run the loop could not come back. */
    synchronized void forgive(Duration rest) {
        if (rest.compareTo(FROZEN) > 0) {
            long now = System.nanoTime();
            polledAt = now - Math.max(0, now - polledAt - rest.toNanos());
        }
    }

    /** Since it was there; none while it waits for messages, and is heard of. */
    Duration away() {
        boolean waits = polling;
        Duration since = Duration.ofNanos(System.nanoTime() - polledAt);
        return waits && since.compareTo(ONE_WAIT) <= 0 ? Duration.ZERO : since;
    }
}
