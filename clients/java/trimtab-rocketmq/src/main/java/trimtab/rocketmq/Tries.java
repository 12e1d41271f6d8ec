package trimtab.rocketmq;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How often the client was told of each queue that it has not begun on: its broker is away, or has locked it for another.
 *
 * <p>RocketMQ 5 asks again after the shortest time that there may be between two rebalances, which is 50 ms here. The
 * lock that a former owner gives back is had by that at once. What takes longer is tried about once a second; so is what
 * has kept the client's only thread waiting, counted from when it asks again: else it would do nothing but wait.
 *
 * @param <K> what is tried
 */
final class Tries<K> {
    /** So many come one after another: half a second. */
    private static final int QUICK = 10;
    /** A little less than the time after which the client is woken for such a queue. */
    private static final long PAUSE_NS = 900_000_000L;

    /** Who asks again only after this was kept waiting, or had nothing to do: 4.9 is woken once a second. */
    private static final long LONG_NS = 2_000_000_000L;

    private final Map<K, Try> vain = new HashMap<>();

    /** Forgets all others: a queue that is granted anew is tried at once. */
    synchronized void keepTo(Set<K> tried) {
        vain.keySet().retainAll(tried);
    }

    /** Whether the client, which asks, is to be told of a queue now; it may have begun on it. */
    synchronized boolean isDue(K what, boolean isBegun, long now) {
        if (isBegun) {
            vain.remove(what);
            return true;
        }
        Try last = vain.computeIfAbsent(what, it -> new Try());
        if (last.isUnderWay && now - last.at > LONG_NS) {
            last.count = QUICK;
            last.at = now;
        }
        last.isUnderWay = false;
        if (last.count >= QUICK && now - last.at < PAUSE_NS) {
            return false;
        }
        last.count++;
        last.at = now;
        last.isUnderWay = true;
        return true;
    }

    private static final class Try {
        int count;
        long at;
        boolean isUnderWay;
    }
}
