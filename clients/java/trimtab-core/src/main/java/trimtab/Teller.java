package trimtab;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** The thread that tells the listener, one thing after another: what it takes its time for delays no beat. */
final class Teller {
    private final BlockingQueue<Runnable> news = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "trimtab-callbacks");
    private final Consumer<Throwable> failed;

    Teller(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    void tell(Runnable call) {
        news.add(call);
    }

    /** Ends once everything before has been told. */
    void finish() {
        news.add(() -> Thread.currentThread().interrupt());
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                news.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) { // also an Error, or what Kotlin and Lombok throw unchecked
            failed.accept(e);
        }
    }
}
