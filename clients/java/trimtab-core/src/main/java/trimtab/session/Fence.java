package trimtab.session;

import java.util.HashMap;
import java.util.Map;

/**
 * When a member must stop by itself, because the controller may take it for dead.
 *
 * <p>It counts from the time it <em>sent</em> the last beat that is known to be in the log: so it
 * never trusts in its session longer than the controller does. A member that can write but not read
 * would never learn that it was told to let go: so the end of the log counts as well.
 */
final class Fence {
    /** The margin is a fifth: beats come every third, so one lost and one late still arrive. */
    private static final long MARGIN_DIVISOR = 5;

    long sessionTimeoutMs;
    /** When the end of the log was last known to have been read. */
    long readAt;
    /** When the last beat known to be in the log was sent. */
    private long heardAt;

    private final Map<Long, Long> pending = new HashMap<>();

    Fence(long sessionTimeoutMs, long now) {
        this.sessionTimeoutMs = sessionTimeoutMs;
        this.heardAt = now;
        this.readAt = now;
    }

    /** How much of a timeout a member may use. */
    static long within(long timeoutMs) {
        return timeoutMs - timeoutMs / MARGIN_DIVISOR;
    }

    long deadline() {
        return Math.min(heardAt, readAt) + within(sessionTimeoutMs);
    }

    Action.Unheard verdict(long now) {
        return new Action.Unheard(now - heardAt, now - readAt);
    }

    void sent(long ticket, long now) {
        pending.put(ticket, now);
    }

    void acknowledged(long ticket) {
        Long sentAt = pending.remove(ticket);
        heardAt = sentAt == null ? heardAt : Math.max(heardAt, sentAt);
    }

    void failed(long ticket) {
        pending.remove(ticket);
    }
}
