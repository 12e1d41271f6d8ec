package trimtab.protocol;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One member's assignment, complete: a queue that it does not name is not the member's. */
public final class Assignment {
    /** The life that it is for. */
    public final String incarnation;

    public final long epoch;
    public final List<HolderRow> hold;
    public final List<HolderRow> give;
    public final List<HeirRow> inherit;
    /** What it works on together with others (RocketMQ's POP); empty: nothing. */
    public final List<HolderRow> shared;

    public final long sessionTimeoutMs;
    public final long revocationTimeoutMs;
    public final long heartbeatIntervalMs;

    /** Whether the controller has not read how the member joined. */
    public final boolean joinAgain;

    private Assignment(Fields record) {
        incarnation = record.incarnation("incarnation");
        epoch = record.number("epoch", 0, Limits.SAFE_INTEGER);
        hold = Shelves.holders(record.object("hold"));
        give = Shelves.holders(record.object("give"));
        inherit = Shelves.heirs(record.object("inherit"));
        shared = record.value("shared") == null ? List.of() : Shelves.holders(record.object("shared"));
        sessionTimeoutMs = timeout(record, "session_timeout_ms");
        revocationTimeoutMs = timeout(record, "revocation_timeout_ms");
        heartbeatIntervalMs = timeout(record, "heartbeat_interval_ms");
        joinAgain = record.isSet("join_again");
    }

    public static Assignment read(byte[] value) {
        Assignment record = new Assignment(Fields.of(value, "assignment"));
        if (record.queues().size() < record.hold.size() + record.give.size() + record.inherit.size()) {
            throw new UndecodableRecord("a queue is named twice"); // nobody could obey both
        }
        return record;
    }

    private static long timeout(Fields record, String name) {
        return record.number(name, Limits.SHORTEST_MS, Limits.LONGEST_MS);
    }

    /** All queues that it names as the member's own, now or soon. */
    public Set<Queue> queues() {
        Set<Queue> named = new HashSet<>();
        hold.forEach(it -> named.add(it.queue));
        give.forEach(it -> named.add(it.queue));
        inherit.forEach(it -> named.add(it.queue));
        return named;
    }
}
