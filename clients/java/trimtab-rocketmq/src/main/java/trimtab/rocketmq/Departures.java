package trimtab.rocketmq;

import java.time.Duration;
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
    /**
     * Of the time that is granted to let a queue go, the part after which a client that has not asked about its topic is
     * not waited for. By default ten seconds: one that waits for a broker, three seconds for who is there and five for an
     * offset, asks again.
     */
    private static final int UNASKED_DIVISOR = 6;

    private final Client client;
    private final Gate gate;
    private final Answers answers;
    /** Since when each leaves. */
    private final Map<Grant, Long> leaving = new HashMap<>();
    /** Those whose offset is at the broker before they leave the table. */
    private final Set<Grant> settled = new HashSet<>();

    Departures(Client client, Gate gate, Answers answers) {
        this.client = client;
        this.gate = gate;
        this.answers = answers;
    }

    synchronized void begin(List<Grant> grants) {
        long now = System.nanoTime();
        grants.forEach(it -> leaving.putIfAbsent(it, now));
    }

    /** Nobody waits for these any more. */
    synchronized void forget(List<Grant> grants) {
        leaving.keySet().removeAll(grants);
        settled.removeAll(grants);
    }

    /** Those that the client may remove now, because their offset is at the broker. */
    synchronized Set<Queue> settled() {
        return settled.stream().map(it -> it.queue).collect(Collectors.toSet());
    }

    synchronized boolean isEmpty() {
        return leaving.isEmpty();
    }

    /**
     * Takes them from a client that would not let them go, because it asks no strategy: it is suspended, or no broker of
     * their topic says who else is in the group. While RocketMQ resets offsets the client is suspended, too: those queues
     * go by themselves, with the offset that an operator has asked for.
     */
    void takeAway(boolean isSuspended, Duration granted) {
        long unaskedNs = granted.dividedBy(UNASKED_DIVISOR).toNanos();
        Set<Grant> stuck;
        synchronized (this) {
            stuck = leaving.keySet().stream()
                    .filter(it -> isSuspended ? !client.isDroppedByItself(it.queue) : isUnasked(it, unaskedNs))
                    .filter(it -> !client.keepsUntilSettled() || settled.contains(it))
                    .collect(Collectors.toSet());
        }
        for (Grant grant : stuck) {
            client.drop(grant.queue);
            // While its listener works RocketMQ keeps the lock of an orderly one.
            if (client.isToldOfRemovals() || gate.isIdle(grant.queue)) {
                answers.forget(grant.queue);
                client.remove(grant.queue);
            }
        }
    }

    private boolean isUnasked(Grant grant, long unaskedNs) {
        long since = Math.max(leaving.get(grant), answers.toldAt(grant.queue.topic));
        return System.nanoTime() - since > unaskedNs;
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
            for (Grant grant : leaving.keySet()) {
                boolean isSettled = !client.keepsUntilSettled() || settled.contains(grant);
                boolean isKept = !isShutDown && (answers.name(grant.queue) || client.has(grant.queue));
                if (atOnce || (isSettled && !isKept && gate.isIdle(grant.queue))) {
                    gone.put(grant, null);
                }
            }
            leaving.keySet().removeAll(gone.keySet());
        }
        if (!gone.isEmpty()) {
            if (!atOnce && !isShutDown && !client.keepsUntilSettled()) {
                gone.keySet().forEach(it -> client.left(it.queue));
            }
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
                leaving.keySet().stream().filter(it -> !settled.contains(it) && gate.isIdle(it.queue)).forEach(idle::add);
            }
        }
        if (!idle.isEmpty()) {
            idle.forEach(it -> client.settle(it.queue));
            synchronized (this) {
                idle.retainAll(leaving.keySet());
                settled.addAll(idle);
            }
            client.wake();
        }
    }
}
