package trimtab.rocketmq;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Member;

/** Whether a consumer helps itself: it was told to, and no controller has answered it for a session. */
final class Alone {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    private final Fallback fallback;
    private final Duration patience;
    private long unansweredSince = System.nanoTime();
    private volatile boolean is;

    Alone(Fallback fallback, Duration patience) {
        this.fallback = fallback;
        this.patience = patience;
    }

    /** As it was when somebody looked last. */
    boolean is() {
        return is;
    }

    /** The member begins to ask. */
    synchronized void begin() {
        unansweredSince = System.nanoTime();
    }

    synchronized boolean look(Member member) {
        long now = System.nanoTime();
        if (member.ending() != null) {
            is = false; // it was answered: it is to work on nothing
            return false;
        }
        if (member.isAnswered()) {
            unansweredSince = now;
        }
        boolean isLong = now - unansweredSince > patience.toNanos();
        boolean should = fallback == Fallback.AVG && isLong;
        if (should != is) {
            LOG.warn(should
                    ? "no controller answers: this consumer takes its share by AVG (fallback=AVG),"
                            + " and queues may have two owners"
                    : "the controller answers again: this consumer obeys it");
            is = should;
        }
        return is;
    }
}
