package trimtab.rocketmq;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import trimtab.Grant;
import trimtab.protocol.Queue;

/**
 * Queues that were taken from us, until the client has really let each go.
 *
 * <p>It has, when it was told so, when the queue has left its table (its broker has acknowledged the offset by
 * then, if it answers, and the lock of an orderly one is returned), and when no listener works on it.
 */
final class Departures {
    private final Client client;
    private final Gate gate;
    private final Answers answers;
    private final Set<Grant> leaving = new HashSet<>();
    /** Those whose offset is at the broker before they leave the table. */
    private final Set<Grant> settled = new HashSet<>();

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
        settled.removeAll(grants);
    }

    /** Those that the client may remove now, because their offset is at the broker. */
    synchronized Set<Queue> settled() {
        return settled.stream().map(it -> it.queue).collect(Collectors.toSet());
    }

    synchronized boolean isEmpty() {
        return leaving.isEmpty();
    }

    /** Takes them from a client that is suspended, and would not let them go. */
    void takeAway() {
        List<Queue> queues;
        synchronized (this) {
            queues = leaving.stream().map(it -> it.queue).collect(Collectors.toList());
        }
        for (Queue queue : queues) {
            client.drop(queue);
            if (gate.isIdle(queue)) { // else RocketMQ keeps the lock of an orderly one
                answers.forget(queue);
                client.remove(queue);
            }
        }
    }

    /**
     * Hands over those that are gone by now. The position stays RocketMQ's: its broker has it.
     *
     * @param atOnce nobody works by grants
     */
    void look(Consumer<Map<Grant, Long>> finished, boolean atOnce) {
        if (!atOnce) {
            settle();
        }
        Map<Grant, Long> gone = new HashMap<>();
        boolean isShutDown = client.isShutDown(); // a rebalance that is under way then does nothing
        synchronized (this) {
            for (Grant grant : leaving) {
                boolean isSettled = !client.keepsUntilSettled() || settled.contains(grant);
                boolean isKept = !isShutDown && (answers.name(grant.queue) || client.has(grant.queue));
                if (atOnce || (isSettled && !isKept && gate.isIdle(grant.queue))) {
                    gone.put(grant, null);
                }
            }
            leaving.removeAll(gone.keySet());
        }
        if (!gone.isEmpty()) {
            finished.accept(gone);
            synchronized (this) {
                settled.removeAll(gone.keySet()); // not before they are released: until then they are its share
            }
        }
    }

    /** Has the broker know how far those are that nobody works on any more; then the client may remove them. */
    private void settle() {
        Set<Grant> idle = new HashSet<>();
        synchronized (this) {
            if (client.keepsUntilSettled()) {
                leaving.stream().filter(it -> !settled.contains(it) && gate.isIdle(it.queue)).forEach(idle::add);
            }
        }
        if (!idle.isEmpty()) {
            idle.forEach(it -> client.settle(it.queue));
            synchronized (this) {
                idle.retainAll(leaving);
                settled.addAll(idle);
            }
            client.wake();
        }
    }
}
