package trimtab.kafka;

import java.time.Duration;
import java.util.List;
import trimtab.protocol.Queue;

/** How a consumer is, at the moment at which it was asked: for probes. */
public final class Health {
    /** Whether it has its place in the group, and its loop and its listener come back in time. */
    public final boolean ready;

    /** What it owns. */
    public final List<Queue> queues;

    /** Since the loop last asked for messages; none while it waits for them, but for a deserializer that hangs. */
    public final Duration sincePoll;

    /** The last trouble; it may have passed. Null: there was none. */
    public final String lastTrouble;

    Health(boolean ready, List<Queue> queues, Duration sincePoll, String lastTrouble) {
        this.ready = ready;
        this.queues = queues;
        this.sincePoll = sincePoll;
        this.lastTrouble = lastTrouble;
    }

    @Override
    public String toString() {
        return "ready=" + ready + " queues=" + queues + " sincePoll=" + sincePoll.toSeconds() + "s lastTrouble="
                + lastTrouble;
    }
}
