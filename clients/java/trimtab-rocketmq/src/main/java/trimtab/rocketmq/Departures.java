package trimtab.rocketmq;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import trimtab.Grant;

/**
 * Queues that were taken from us, until the client has really let each go.
 *
 * <p>It has, when it was told so, when the queue has left its table (its offset is at the broker by
 * then, and the lock of an orderly one is returned), and when no listener works on it.
 */
final class Departures {
    private final Client client;
    private final Gate gate;
    private final Answers answers;
    private final Set<Grant> leaving = new HashSet<>();

    Departures(Client client, Gate gate, Answers answers) {
        this.client = client;
        this.gate = gate;
        this.answers = answers;
    }

    synchronized void begin(List<Grant> grants) {
        leaving.addAll(grants);
    }

    /** Nobody waits for these any more. */
    synchronized void forget(List<Grant> grants) {
        leaving.removeAll(grants);
    }

    synchronized boolean isEmpty() {
        return leaving.isEmpty();
    }

    /** Hands over those that are gone by now. The position stays RocketMQ's: its broker has it. */
    void look(Consumer<Map<Grant, Long>> finished) {
        Map<Grant, Long> gone = new HashMap<>();
        synchronized (this) {
            for (Grant grant : leaving) {
                if (!answers.name(grant.queue) && !client.has(grant.queue) && gate.isIdle(grant.queue)) {
                    gone.put(grant, null);
                }
            }
            leaving.removeAll(gone.keySet());
        }
        if (!gone.isEmpty()) {
            finished.accept(gone);
        }
    }
}
