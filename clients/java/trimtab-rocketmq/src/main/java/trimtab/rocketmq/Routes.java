package trimtab.rocketmq;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Queue;

/**
 * Has the client ask its name server for queues that the controller has granted and it does not know.
 *
 * <p>By itself it asks every 30 s, and for so long nobody would work on a queue that is new, or whose broker has
 * come back. An answer may take seconds, so it is asked in a thread of its own; and more and more rarely, because a
 * route file may name a queue that there never is.
 */
final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    private static final long FIRST_MS = 1_000;
    private static final long RARELY_MS = 5_000;
    /** A broker registers itself every 30 s; what the client has not heard of for so long has another reason. */
    private static final long LONG_NS = 30_000_000_000L;

    private final Client client;
    private boolean isAsking;
    private long pauseMs = FIRST_MS;
    private long asked;
    /** Those that the client does not know, since when. */
    private final Map<Queue, Long> unknown = new HashMap<>();
    /** Those of them that were told in the log. */
    private final Set<Queue> told = new HashSet<>();

    Routes(Client client) {
        this.client = client;
    }

    /** Looks whether the client knows all of these, and asks for the others when it is time to. */
    synchronized void look(Set<Queue> granted) {
        Set<Queue> strange = new HashSet<>(granted);
        strange.removeIf(client::knows);
        complain(strange, System.nanoTime());
        Set<String> topics = new HashSet<>();
        strange.forEach(it -> topics.add(it.topic));
        if (topics.isEmpty()) {
            pauseMs = FIRST_MS;
        } else if (!isAsking && System.nanoTime() - asked > pauseMs * 1_000_000) {
            isAsking = true;
            Thread thread = new Thread(() -> ask(topics), "trimtab-rocketmq-routes");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Nobody works on these, and the controller takes them for at work. */
    void complain(Set<Queue> strange, long now) {
        unknown.keySet().retainAll(strange);
        told.retainAll(strange);
        strange.forEach(it -> unknown.putIfAbsent(it, now));
        Set<Queue> late = new HashSet<>(strange);
        late.removeIf(it -> now - unknown.get(it) < LONG_NS || !told.add(it));
        if (!late.isEmpty()) {
            LOG.warn("nobody works on {} (queues: {}): the controller has granted it to this consumer of {}, whose name"
                    + " server knows no such queue. Its broker may be away; or the controller's route file is wrong, or"
                    + " the topic another cluster's", late.iterator().next(), late.size(), client.group());
        }
    }

    private void ask(Set<String> topics) {
        try {
            topics.forEach(client::learn);
            client.wake();
        } catch (IllegalStateException e) {
            // its name server is away: it is asked again
        } finally {
            synchronized (this) {
                isAsking = false;
                asked = System.nanoTime();
                pauseMs = Math.min(2 * pauseMs, RARELY_MS);
            }
        }
    }
}
