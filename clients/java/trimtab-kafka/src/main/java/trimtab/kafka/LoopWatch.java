package trimtab.kafka;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A thread that looks whether the loop comes back.
 *
 * <p>Its one rule: nothing of the application's runs on it, and it waits for nothing but the time. So whatever
 * hangs, a listener included, the queues go to others.
 */
final class LoopWatch {
    /** Between two looks: how late a stuck loop is noticed. */
    private static final long ROUND_MS = 250;

    /** Is told how long the thread has rested. */
    private final Consumer<Duration> look;
    private final Consumer<Throwable> failed;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "trimtab-watch");

    LoopWatch(Consumer<Duration> look, Consumer<Throwable> failed) {
        this.look = look;
        this.failed = failed;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void stop() {
        over.countDown();
    }

    private void run() {
        try {
            long restsAt = System.nanoTime();
            while (!over.await(ROUND_MS, TimeUnit.MILLISECONDS)) {
                look.accept(Duration.ofNanos(System.nanoTime() - restsAt));
                restsAt = System.nanoTime();
            }
        } catch (Throwable e) { // for want of memory, say: a loop that nobody looks at would keep its queues
            failed.accept(e);
        }
    }
}
