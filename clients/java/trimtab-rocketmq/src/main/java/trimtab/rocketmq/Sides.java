package trimtab.rocketmq;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private static final Duration AGAIN = Duration.ofSeconds(1);
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

    private boolean moves;
    private boolean hasSaidThatItLacksTheMark;
    private final String group;
    private final Duration patience;
    /** Topics of which the broker that was asked last knows a client that is not attached. */
    private final Set<String> mixed = new HashSet<>();
    private Side side = Side.OURS;
    private long settlesAt;
    private long asksAt;
    /** Since when nobody else is there, and no controller has answered; 0: that is not so. */
    private long unansweredSince;

    /** Of a consumer that does not move the controller's rule holds, whoever else is there. */
    Sides(Client client, boolean moves, Duration patience) {
        this.group = client.group();
        this.moves = moves;
        this.patience = patience;
    }

    /** It obeys from now on: the others are to see that it is attached. */
    synchronized void tell(Client client) {
        if (moves && !client.isBroadcasting()) {
            client.mark();
        }
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

    /** The clients of the group are these, as far as a broker of the topic knows; this one is among them. */
    synchronized void see(String topic, String clientId, List<String> clientIds) {
        if (moves && !clientId.contains(MARK) && !hasSaidThatItLacksTheMark) {
            hasSaidThatItLacksTheMark = true;
            LOG.error("{}: this consumer was given an instance name after Trimtab.attachMoving, so all take it for one"
                    + " that is not attached, and the group does not move: call setInstanceName before", group);
        }
        if (moves && clientIds.stream().anyMatch(it -> !it.contains(MARK))) {
            mixed.add(topic);
        } else {
            mixed.remove(topic);
        }
        if (!mixed.isEmpty() && side != Side.THEIRS) {
            LOG.info("{}: consumers that are not attached are in the group, so all share by RocketMQ's own rule", group);
            side = Side.THEIRS;
        }
    }

    /** Topics that it does not ask about any more say nothing. */
    synchronized void keepTo(Collection<String> topics) {
        mixed.retainAll(topics);
    }

    /** Its member has ended: it works on nothing, whoever else is there. */
    synchronized void end() {
        moves = false;
        mixed.clear();
        side = Side.OURS;
    }

    /**
     * Time goes by; returns whether the client is to ask for its share.
     *
     * <p>Who is not answered for a session, while nobody is there who is not attached, works on nothing: others may be
     * answered, and have its queues.
     */
    synchronized boolean look(boolean isAnswered) {
        long now = System.nanoTime();
        if (side == Side.OURS || !mixed.isEmpty()) {
            unansweredSince = 0;
            return false;
        }
        if (side == Side.BOTH) {
            return settles(now);
        }
        if (isAnswered) {
            side = Side.BOTH;
            settlesAt = now + SETTLING.toNanos();
            asksAt = now;
            return true;
        }
        unansweredSince = unansweredSince == 0 ? now : unansweredSince;
        if (now - unansweredSince > patience.toNanos()) {
            LOG.warn("{}: all consumers of the group are attached, and no controller answers this one: it works on nothing"
                    + " until one does", group);
            side = Side.OURS;
            return true;
        }
        return false;
    }

    /** Another broker may know more, so that several are asked meanwhile. */
    private boolean settles(long now) {
        if (now - settlesAt >= 0) {
            LOG.info("{}: all consumers of the group are attached: they obey the controller", group);
            side = Side.OURS;
            return true;
        }
        boolean asks = now - asksAt > AGAIN.toNanos();
        asksAt = asks ? now : asksAt;
        return asks;
    }
}
