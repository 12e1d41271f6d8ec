package trimtab.session;

import java.util.Map;
import trimtab.protocol.Queue;

/**
 * Which queues the controller has been told of.
 *
 * <p>"As in my last beat" is safe only if the last full statement is in the log; so it is repeated
 * until Kafka has acknowledged it.
 */
final class Statement {
    /** Null: something was let go since, and is to be told of again. */
    private Map<Queue, Long> owned;

    private long ticket;
    private boolean acknowledged;

    boolean differs(Map<Queue, Long> now) {
        return !now.equals(owned);
    }

    /** What the next beat has to say; null: nothing new. */
    Map<Queue, Long> due(Map<Queue, Long> now) {
        return acknowledged && !differs(now) ? null : now;
    }

    void outdated() {
        owned = null;
    }

    void sent(long itsTicket, Map<Queue, Long> said) {
        owned = said;
        ticket = itsTicket;
        acknowledged = false;
    }

    void acknowledged(long itsTicket) {
        acknowledged = acknowledged || itsTicket == ticket;
    }
}
