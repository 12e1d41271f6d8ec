package trimtab.rocketmq;

import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.ClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By whose rule a consumer of a group that moves takes its share: by RocketMQ's, as long as somebody is in the group
 * who is not attached, else by the controller's.
 *
 * <p>All clients of a group see each other's ids, and nothing else of each other; so who is attached says so in its
 * id. Each sees by itself when the last one that is not has gone, and the brokers tell all of them at once. Then for a
 * while it works only on what both rules give it: by the end of that all have let go of what is another's.
 */
final class Sides {
    /** What the id of an attached client has in it. */
    static final String MARK = "#trimtab";
    /** What RocketMQ replaces by the process and the time, when a client starts. */
    private static final String UNNAMED = "DEFAULT";
    /** A broker tells a change at once, and a client that was busy asks within a second. */
    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    /** By whose rule. */
    enum Side {
        /** RocketMQ's. */
        THEIRS,
        /** Only what both give. */
        BOTH,
        /** The controller's. */
        OURS
    }

    private final boolean moves;
    private final String group;
    private Side side = Side.OURS;
    private boolean isMixed;
    private long settlesAt;

    /** Of a consumer that does not move the controller's rule holds, whoever else is there. */
    Sides(String group, boolean moves) {
        this.group = group;
        this.moves = moves;
    }

    /** Has a client that was not started yet say that it is attached. */
    static void mark(ClientConfig client) {
        String name = client.getInstanceName();
        if (!name.contains(MARK)) {
            String own = UNNAMED.equals(name) ? ProcessHandle.current().pid() + "#" + System.nanoTime() : name;
            client.setInstanceName(own + MARK);
        }
    }

    synchronized Side side() {
        return side;
    }

    /** The clients of the group are these, as far as a broker knows. */
    synchronized void see(List<String> clientIds) {
        isMixed = moves && clientIds.stream().anyMatch(it -> !it.contains(MARK));
        if (isMixed && side != Side.THEIRS) {
            LOG.info("{}: consumers that are not attached are in the group, so all share by RocketMQ's own rule", group);
            side = Side.THEIRS;
        }
    }

    /**
     * Time goes by; returns whether another rule holds now. Without a controller that answers RocketMQ's goes on.
     */
    synchronized boolean look(boolean isAnswered) {
        long now = System.nanoTime();
        if (side == Side.THEIRS && !isMixed && isAnswered) {
            side = Side.BOTH;
            settlesAt = now + SETTLING.toNanos();
            return true;
        }
        if (side == Side.BOTH && now - settlesAt >= 0) {
            LOG.info("{}: all consumers of the group are attached: they obey the controller", group);
            side = Side.OURS;
            return true;
        }
        return false;
    }
}
