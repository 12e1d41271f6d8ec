package trimtab.protocol;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A record that a member writes, but for who signs it and under which number. */
public final class Outgoing {
    public final Topic topic;

    /** Whether it has to arrive, so that it is sent again until it has. */
    public final boolean mustArrive;

    /** What it releases. */
    public final Collection<ReleaseRow> released;

    private final String kind;
    private final Map<String, Object> said;

    private Outgoing(Topic topic, String kind, boolean mustArrive, Map<String, Object> said) {
        this(topic, kind, mustArrive, said, List.of());
    }

    private Outgoing(
            Topic topic,
            String kind,
            boolean mustArrive,
            Map<String, Object> said,
            Collection<ReleaseRow> released) {
        this.topic = topic;
        this.kind = kind;
        this.mustArrive = mustArrive;
        this.said = said;
        this.released = released;
    }

    /** What the member wants, as its profile says it. */
    public static Outgoing join(Map<String, Object> wishes) {
        return new Outgoing(Topic.MEMBERS, "join", false, wishes);
    }

    public static Outgoing drain() {
        return new Outgoing(Topic.MEMBERS, "drain", true, Map.of());
    }

    public static Outgoing leave(boolean temporary) {
        return new Outgoing(Topic.MEMBERS, "leave", false, Map.of("temporary", temporary));
    }

    /** With all that is owned, or null for "as in my last beat". */
    public static Outgoing beat(long epoch, Map<Queue, Long> owned) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("epoch", epoch);
        said.put("owned", owned == null ? null : Shelves.ofOwned(owned));
        return new Outgoing(Topic.HEARTBEATS, "beat", false, said);
    }

    /** One without rows is a mark, which the session repeats by itself. */
    public static Outgoing release(Collection<ReleaseRow> rows, boolean gone) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("queues", Shelves.ofReleases(rows));
        said.put("gone", gone ? true : null);
        return new Outgoing(Topic.RELEASES, "release", !rows.isEmpty(), said, List.copyOf(rows));
    }

    /** The record as JSON. */
    public String signed(Life life, long sequence) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("v", 1);
        record.put("kind", kind);
        record.put("member", life.member);
        record.put("incarnation", life.incarnation);
        record.put("sequence", sequence);
        record.putAll(said);
        return JsonWriter.write(record);
    }
}
