package trimtab.rocketmq;

import java.util.HashSet;
import java.util.Set;
import trimtab.protocol.Queue;

/**
 * Has the client ask its name server for queues that the controller has granted and it does not know.
 *
 * <p>By itself it asks every 30 s, and for so long nobody would work on a queue that is new, or whose broker has
 * come back. An answer may take seconds, so it is asked in a thread of its own; and more and more rarely, because a
 * route file may name a queue that there never is.
 */
final class Routes {
    private static final long FIRST_MS = 1_000;
    private static final long RARELY_MS = 5_000;

    private final Client client;
    private boolean isAsking;
    private long pauseMs = FIRST_MS;
    private long asked;

    Routes(Client client) {
        this.client = client;
    }

    /** Looks whether the client knows all of these, and asks for the others when it is time to. */
    synchronized void look(Set<Queue> granted) {
        Set<String> topics = new HashSet<>();
        granted.stream().filter(it -> !client.knows(it)).forEach(it -> topics.add(it.topic));
        if (topics.isEmpty()) {
            pauseMs = FIRST_MS;
        } else if (!isAsking && System.nanoTime() - asked > pauseMs * 1_000_000) {
            isAsking = true;
            Thread thread = new Thread(() -> ask(topics), "trimtab-rocketmq-routes");
            thread.setDaemon(true);
            thread.start();
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
