package trimtab;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** The thread that tells the listener, one thing after another: what it takes its time for delays no beat. */
final class Teller {
    private final BlockingQueue<Runnable> news = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "trimtab-callbacks");
    private final Running running;
    private final Consumer<Throwable> failed;
    /** Set and read by its thread. */
    private boolean over;

    Teller(Running running, Consumer<Throwable> failed) {
        this.running = running;
        this.failed = failed;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    void tell(String name, Runnable call) {
        news.add(() -> running.call(name, call));
    }

    /** Ends once everything before has been told. */
    void finish() {
        news.add(() -> over = true);
    }

    /** Waits for that, unless it is a listener that asks; says whether it has come. */
    boolean join(long timeoutMs) throws InterruptedException {
        if (Thread.currentThread() != thread) {
            thread.join(Math.max(1, timeoutMs)); // 0 would be for ever
        }
        return !thread.isAlive();
    }

    private void run() {
        while (!over) {
            try {
                next().run();
            } catch (Throwable e) { // also an Error, or what Kotlin and Lombok throw unchecked
                failed.accept(e); // and what is lost by that is told as well
            }
        }
    }

    private Runnable next() {
        while (true) {
            try {
                return news.take();
            } catch (InterruptedException e) {
                // a listener has left it so; nobody ends this thread by that
            }
        }
    }
}
