package trimtab.protocol;

import java.util.List;
import java.util.Set;

/** Queues let go, as read from the log. Without queues it is a mark. */
public final class Release {
    private static final Set<String> OTHERS = Set.of("controller", "guard");

    public final Life life;
    public final long sequence;
    public final List<ReleaseRow> rows;

    /** Whether the member itself says so, and not its guard or the controller. */
    public final boolean byItself;

    /** Whether this life goes. */
    public final boolean gone;

    private Release(Fields record) {
        life = new Life(record.name("member"), record.incarnation("incarnation"));
        sequence = record.number("sequence", 0, Limits.SAFE_INTEGER);
        rows = Shelves.releases(record.object("queues"));
        byItself = record.value("by") == null;
        if (!byItself && !OTHERS.contains(record.text("by"))) {
            throw new UndecodableRecord("by: nobody who may say so");
        }
        gone = record.isSet("gone");
    }

    public static Release read(byte[] value) {
        return new Release(Fields.of(value, "release"));
    }
}
