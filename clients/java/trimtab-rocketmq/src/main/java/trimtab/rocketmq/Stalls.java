package trimtab.rocketmq;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Queue;

/**
 * Sees when a push consumer does not ask for messages of a queue any more, and nobody else would work on it.
 *
 * <p>RocketMQ's client asks each broker at least every 30 s. After 120 s ({@code rocketmq.client.pull.pullMaxIdleTime}) it takes that for
 * its own fault, drops the queue and begins anew. It looks right after it has asked for its share, so that is when we look.
 */
final class Stalls {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    private final Client client;
    private final AtomicLong count = new AtomicLong();
    private volatile Stall policy = Stall.REPORT;
    private volatile boolean hasLeft;

    Stalls(Client client) {
        this.client = client;
    }

    void follow(Stall what) {
        policy = what;
    }

    long count() {
        return count.get();
    }

    /** Whether the consumer has given its queues up because of one. */
    boolean hasLeft() {
        return hasLeft;
    }

    /** Whether the consumer should leave now, because of this queue of its own. */
    boolean endsWith(Queue queue) {
        if (hasLeft || !client.isStalled(queue)) {
            return false;
        }
        count.incrementAndGet();
        hasLeft = policy == Stall.LEAVE;
        if (hasLeft) {
            LOG.error("{}: RocketMQ's client has stopped asking for its messages; this consumer hands its queues to"
                    + " others, and works on nothing until it is started anew", queue);
        } else {
            LOG.warn("{}: RocketMQ's client has stopped asking for its messages, and begins anew", queue);
        }
        return hasLeft;
    }
}
