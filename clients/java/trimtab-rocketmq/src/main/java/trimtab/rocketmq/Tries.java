package trimtab.rocketmq;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import trimtab.Grant;

/**
 * How often the client was told of each queue that it has not begun on: its broker is away, or has locked it for another.
 *
 * <p>RocketMQ 5 asks again after the shortest time that there may be between two rebalances, which is 50 ms here. The
 * lock that a former owner gives back is had by that at once. What takes longer is tried about once a second.
 */
final class Tries {
    /** So many come one after another: half a second. */
    private static final int QUICK = 10;
    /** A little less than the time after which the client is woken for such a queue. */
    private static final long PAUSE_NS = 900_000_000L;

    private final Map<Grant, Try> vain = new HashMap<>();

    /** Forgets all others: a queue that is granted anew is tried at once. */
    synchronized void keepTo(Set<Grant> grants) {
        vain.keySet().retainAll(grants);
    }

    /** Whether the client, which asks, is to be told of a queue now; it may have begun on it. */
    synchronized boolean isDue(Grant grant, boolean isBegun, long now) {
        if (isBegun) {
            vain.remove(grant);
            return true;
        }
        Try last = vain.computeIfAbsent(grant, it -> new Try());
        if (last.count >= QUICK && now - last.at < PAUSE_NS) {
            return false;
        }
        last.count++;
        last.at = now;
        return true;
    }

    private static final class Try {
        int count;
        long at;
    }
}
