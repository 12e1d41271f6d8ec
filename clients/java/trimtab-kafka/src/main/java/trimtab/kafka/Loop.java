package trimtab.kafka;

import java.time.Duration;

/** The application's loop: which thread polls, and when it was there last. */
final class Loop {
    /** Who works on what was handed out; null: nobody. */
    private volatile Thread taker;
    private volatile boolean polling;
    private volatile long polledAt = System.nanoTime();

    /** To come back says that what was handed out before is done; of another thread's that would be a lie. */
    void enter() {
        Thread other = taker;
        if (other != null && other != Thread.currentThread() && other.isAlive()) {
            throw new IllegalStateException("one thread at a time takes messages from a consumer: \""
                    + other.getName() + "\" works on some");
        }
    }

    void begin() {
        polling = true;
    }

    /** The application works on what it was given, if that is something. */
    void took(boolean some) {
        taker = some ? Thread.currentThread() : null;
    }

    void end() {
        polledAt = System.nanoTime();
        polling = false;
    }

    /** Since it was there; none while it waits for messages. */
    Duration away() {
        return polling ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - polledAt);
    }
}
