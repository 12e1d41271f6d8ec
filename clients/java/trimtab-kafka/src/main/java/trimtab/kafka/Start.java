package trimtab.kafka;

import java.time.Instant;
import org.apache.kafka.clients.admin.OffsetSpec;

/**
 * Where to begin with a queue of which the group has committed nothing.
 *
 * <p>The first owner decides, and commits that before it reads; so nobody decides otherwise.
 */
public final class Start {
    private static final Start EARLIEST = new Start(OffsetSpec.earliest());
    private static final Start LATEST = new Start(OffsetSpec.latest());

    final OffsetSpec spec;

    private Start(OffsetSpec spec) {
        this.spec = spec;
    }

    /** Whether there may be no such message. */
    boolean isTime() {
        return spec instanceof OffsetSpec.TimestampSpec;
    }

    /** At the first message that there still is. */
    public static Start earliest() {
        return EARLIEST;
    }

    /** At what comes from now on. */
    public static Start latest() {
        return LATEST;
    }

    /** At the first message since a time; if none is so young, at what comes from now on. */
    public static Start since(Instant time) {
        return new Start(OffsetSpec.forTimestamp(Math.max(0, time.toEpochMilli())));
    }
}
