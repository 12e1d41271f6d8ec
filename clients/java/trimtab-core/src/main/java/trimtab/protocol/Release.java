package trimtab.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Queues let go, as read from the log. Without queues it is a mark. */
public final class Release {
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
        byItself = record.textOr("by", "").isEmpty();
        gone = record.isSet("gone");
    }

    public static Release read(byte[] value) {
        return new Release(Fields.of(new String(value, StandardCharsets.UTF_8), "release"));
    }
}
