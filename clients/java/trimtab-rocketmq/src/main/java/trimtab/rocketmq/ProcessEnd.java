package trimtab.rocketmq;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Member;

/**
 * Has a process that ends wait until a consumer has left.
 *
 * <p>A {@code shutdown()} that is called in a hook of the JVM returns before it is seen, and the JVM halts when all
 * hooks are over, whatever threads there are.
 */
final class ProcessEnd {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    /** So long it waits for the {@code shutdown()}, which may be in a hook that does other things first. */
    private static final long SHUTDOWN_MS = 5_000;
    /**
     * A hook may shut one consumer down after another, so it waits as long again after each, from its return on: it is
     * seen before, and RocketMQ waits up to 3 s for its {@code NettyEventExecutor} then (5.3.3).
     */
    private static final long NEXT_MS = 3_000 + SHUTDOWN_MS;
    /** So long it waits for the leave: a message in work may take longer, and is cut off. */
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final long LOOK_MS = 5;

    /** When a consumer of this process was seen to be shut down while the process ended; at first long ago. */
    private static volatile long lastAt = System.nanoTime() - NEXT_MS * 1_000_000;

    private final Client client;
    private final Member member;
    private final Thread hook = new Thread(this::await, "trimtab-shutdown");

    ProcessEnd(Client client, Member member) {
        this.client = client;
        this.member = member;
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("the process ends already", e);
        }
    }

    /** The consumer has left. */
    void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("the process ends, and waits for nothing any more", e);
        }
    }

    private static boolean isToWait(long waitedNs) {
        return waitedNs < SHUTDOWN_MS * 1_000_000 || System.nanoTime() - lastAt < NEXT_MS * 1_000_000;
    }

    private void await() {
        try {
            long began = System.nanoTime();
            while (!client.isShutDown() && member.ending() == null && isToWait(System.nanoTime() - began)) {
                Thread.sleep(LOOK_MS);
            }
            if (client.isShutDown()) {
                lastAt = System.nanoTime();
                member.join(FAREWELL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
