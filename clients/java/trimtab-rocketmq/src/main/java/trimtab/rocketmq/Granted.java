package trimtab.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.Grant;
import trimtab.Member;
import trimtab.protocol.Queue;

/** What the client is answered by the controller's grants. */
final class Granted {
    private final Client client;
    private final Departures departures;
    private final Stalls stalls;
    private final Tries<Grant> tries = new Tries<>();
    private final Gate gate;
    private final long patienceNs;
    /** Since when each waits for work of an earlier time to end. */
    private final Map<Grant, Long> waiting = new HashMap<>();
    /** Has what leaves looked at soon. */
    private final Runnable hurry;

    Granted(Client client, Gate gate, Departures departures, Stalls stalls, Duration patience, Runnable hurry) {
        this.client = client;
        this.gate = gate;
        this.patienceNs = patience.toNanos();
        this.departures = departures;
        this.stalls = stalls;
        this.hurry = hurry;
    }

    /** Of one topic, which all of these queues are of. A client that goes on after a rest asks by another thread. */
    synchronized List<MessageQueue> of(Member member, List<MessageQueue> queues) {
        Map<Queue, Grant> mine = new HashMap<>();
        List<Grant> grants = client.keepsUntilSettled() ? member.unreleased() : member.assignment();
        grants.forEach(it -> mine.put(it.queue, it));
        mine.keySet().removeAll(departures.settled());
        tries.keepTo(new HashSet<>(mine.values()));
        waiting.keySet().retainAll(mine.values());
        Set<MessageQueue> known = new LinkedHashSet<>(queues);
        // a name server that was started anew learns its brokers one by one
        known.addAll(client.queuesOf(queues.get(0).getTopic()));
        List<MessageQueue> share = new ArrayList<>();
        for (MessageQueue queue : known) {
            Queue named = Client.named(queue);
            if (!mine.containsKey(named)) {
                continue;
            }
            if (client.hasDropped(named) && (!client.keepsUntilSettled() || member.holds(named))) {
                client.note(named);
                client.wake(); // it goes now, and comes anew; what is taken goes when it is settled
            } else if (!isStillAtWork(mine.get(named), System.nanoTime())
                    && tries.isDue(mine.get(named), client.has(named), System.nanoTime())) {
                share.add(queue);
                if (stalls.endsWith(named)) {
                    hurry.run();
                }
            }
        }
        return share;
    }

    /**
     * Whether the application works on messages that it was given under an earlier grant, which come again: the client
     * begins anew with a queue that was lost. That it ends is waited for as long as for one that is taken.
     */
    synchronized boolean isStillAtWork(Grant grant, long now) {
        boolean isAtWork = !client.keepsUntilSettled() && !client.has(grant.queue) && !gate.isIdle(grant.queue);
        if (!isAtWork) {
            waiting.remove(grant);
            return false;
        }
        return now - waiting.computeIfAbsent(grant, it -> now) < patienceNs;
    }
}
