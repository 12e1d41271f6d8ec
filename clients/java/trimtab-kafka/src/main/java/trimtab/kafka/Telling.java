package trimtab.kafka;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Grant;
import trimtab.Running;
import trimtab.protocol.Queue;

/** Tells the application, one thing at a time; the same trouble once in a while. */
final class Telling {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** The same trouble is told again only if it was over for so long. */
    private static final long REPEAT_NS = 60_000_000_000L;

    /** Kafka's client says how long it has waited, and until when: the same trouble all the same. */
    private static final Pattern NUMBERS = Pattern.compile("\\d+");
    /** Where a listener is: each time in another line, if it goes on. */
    private static final Pattern PLACE = Pattern.compile(" \\([^)]*\\)");

    private final String name;
    private final ConsumerListener listener;
    private final Running running;
    /** By what was told, without its numbers: when. */
    private final Map<String, Long> told = new ConcurrentHashMap<>();
    /** What a thread has met, and the log says, that may not wait for the application, nor meet what it throws. */
    private final Set<String> met = ConcurrentHashMap.newKeySet();
    private volatile String lastTrouble;
    private volatile Set<Queue> granted = Set.of();

    Telling(String memberId, ConsumerOptions options) {
        this.name = memberId + " in " + options.group;
        this.listener = options.listener;
        this.running = new Running(options.member.revocationTimeout());
    }

    String lastTrouble() {
        return lastTrouble;
    }

    synchronized void granted(List<Grant> grants) {
        granted = grants.stream().map(it -> it.queue).collect(Collectors.toSet());
        running.call("onGranted", () -> listener.onGranted(grants));
        granted = Set.of();
    }

    /** Whether the application is told now that a queue is its own, though it may be lost again. */
    boolean tellsOf(Queue queue) {
        return granted.contains(queue);
    }

    /** Those that leave still when it is their turn: what was lost meanwhile is told as such, and only so. */
    synchronized void revoked(List<Grant> grants, Predicate<Grant> leaves) {
        List<Grant> leaving = grants.stream().filter(leaves).collect(Collectors.toList());
        if (!leaving.isEmpty()) {
            running.call("onRevoked", () -> listener.onRevoked(leaving));
        }
    }

    synchronized void lost(List<Grant> grants) {
        running.call("onLost", () -> listener.onLost(grants));
    }

    /** Somebody has logged it. */
    synchronized void trouble(String text) {
        lastTrouble = text;
        running.call("onTrouble", () -> listener.onTrouble(text));
    }

    /** Whether the application takes too long to hear something; nothing else is told meanwhile, so the log says it. */
    boolean isSlow() {
        String what = running.tooLong();
        if (what != null) {
            isNew(PLACE.matcher(what).replaceFirst(""), what);
        }
        return what != null;
    }

    /** The same as {@link #troubleOnce}, but that the keeper tells the application, by {@link #tellMet}. */
    void troubleSoon(String text) {
        if (isNew(text, text)) {
            met.add(text);
        }
    }

    /** Tells what other threads have met. */
    void tellMet() {
        for (String text : met) {
            met.remove(text);
            trouble(text);
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
