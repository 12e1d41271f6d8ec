package trimtab.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Grant;
import trimtab.Running;
import trimtab.protocol.Queue;

/**
 * Tells the application, one thing at a time; the same trouble once in a while.
 *
 * <p>Trouble is told by a thread of its own: whoever meets it goes on, also if the application takes its time.
 */
final class Telling {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** The same trouble is told again only if it was over for so long. */
    private static final long REPEAT_NS = 60_000_000_000L;
    /** What more comes while the application hears of nothing is in the log alone. */
    private static final int MOST = 100;
    /** How long a revocation waits for another call: who commits has to go on. */
    private static final long TURN_MS = 250;
    private static final String END = "";

    /** Kafka's client says how long it has waited, and until when: the same trouble all the same. */
    private static final Pattern NUMBERS = Pattern.compile("\\d+");
    /** Where a listener is: each time in another line, if it goes on. */
    private static final Pattern PLACE = Pattern.compile(" \\([^)]*\\)");

    private final String name;
    private final ConsumerListener listener;
    private final Running running;
    /** By what was told, without its numbers: when. */
    private final Map<String, Long> told = new ConcurrentHashMap<>();
    /** Held while the application hears of something. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Trouble that the log says, and the application has not heard of. */
    private final BlockingQueue<String> met = new LinkedBlockingQueue<>(MOST);
    private final Thread thread = new Thread(this::run, "trimtab-trouble");
    private volatile Consumer<Throwable> failed;
    private volatile boolean over;
    private volatile String lastTrouble;
    private volatile Set<Queue> granted = Set.of();

    Telling(String memberId, ConsumerOptions options) {
        this.name = memberId + " in " + options.group;
        this.listener = options.listener;
        this.running = new Running(options.member.revocationTimeout());
    }

    /** Begins to tell trouble, and says to that one what the application throws then. */
    void start(Consumer<Throwable> whenFailed) {
        failed = whenFailed;
        thread.setDaemon(true);
        thread.start();
    }

    /** Tells nothing but what is left. */
    void stop() {
        over = true;
        met.offer(END);
    }

    /** The same, and waits for that, unless the application does not come back in time. */
    void finish(Duration timeout) throws InterruptedException {
        stop();
        thread.join(timeout.toMillis());
    }

    private void run() {
        while (!over || !met.isEmpty()) {
            try {
                tell(met.take());
            } catch (InterruptedException e) {
                // a listener has left it so; nobody ends this thread by that
            } catch (Throwable e) {
                failed.accept(e); // the consumer is over
                return;
            }
        }
    }

    String lastTrouble() {
        return lastTrouble;
    }

    void granted(List<Grant> grants) {
        inTurn("onGranted", () -> {
            granted = grants.stream().map(it -> it.queue).collect(Collectors.toSet());
            listener.onGranted(grants);
            granted = Set.of();
        });
    }

    /** Whether the application is told now that a queue is its own, though it may be lost again. */
    boolean tellsOf(Queue queue) {
        return granted.contains(queue);
    }

    /**
     * Those that leave still when it is their turn: what was lost meanwhile is told as such, and only so. Says
     * whether they had it: another call may not come back.
     */
    boolean revoked(List<Grant> grants, Predicate<Grant> leaves) throws InterruptedException {
        if (!turn.tryLock(TURN_MS, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            List<Grant> leaving = grants.stream().filter(leaves).collect(Collectors.toList());
            if (!leaving.isEmpty()) {
                running.call("onRevoked", () -> listener.onRevoked(leaving));
            }
            return true;
        } finally {
            turn.unlock();
        }
    }

    void lost(List<Grant> grants) {
        inTurn("onLost", () -> listener.onLost(grants));
    }

    /** Somebody has logged it. */
    void trouble(String text) {
        lastTrouble = text;
        met.offer(text);
    }

    private void inTurn(String call, Runnable work) {
        turn.lock();
        try {
            running.call(call, work);
        } finally {
            turn.unlock();
        }
    }

    /** Whether the application takes too long to hear something; nothing else is told meanwhile, so the log says it. */
    boolean isSlow(Duration granted) {
        String what = running.tooLong(granted);
        if (what != null) {
            isNew(PLACE.matcher(what).replaceFirst(""), what);
        }
        return what != null;
    }

    private void tell(String text) {
        if (!text.equals(END)) {
            inTurn("onTrouble", () -> listener.onTrouble(text));
        }
    }

    /** The same, if it was not told lately; with a line in the log. */
    void troubleOnce(String text) {
        if (isNew(text, text)) {
            trouble(text);
        }
    }

    /** Logs it, if it was not told lately; says whether that is so. */
    private boolean isNew(String key, String text) {
        long now = System.nanoTime();
        told.values().removeIf(at -> now - at > REPEAT_NS);
        boolean isNew = told.putIfAbsent(NUMBERS.matcher(key).replaceAll(""), now) == null;
        if (isNew) {
            LOG.warn("{}: {}", name, text);
            lastTrouble = text;
        }
        return isNew;
    }
}
