package trimtab.protocol;

import java.util.HashSet;
import java.util.Set;

/** What the controller says of one broker: whether it is fit for use, and until when that counts. */
public final class Verdict {
    public final String cluster;
    public final String broker;
    public final boolean available;

    /** When it lapses, in milliseconds since 1970; null: it stands until another one comes. */
    public final Long untilMs;

    /** The few reporters that use the broker now and then all the same. */
    public final Set<String> testers = new HashSet<>();

    private Verdict(Fields record) {
        cluster = record.text("cluster");
        broker = record.text("broker");
        available = Fields.as(Boolean.class, record.value("available"), "available");
        untilMs = record.value("until_ms") == null ? null : (Long) record.number("until_ms", 0, Limits.SAFE_INTEGER);
        for (Object tester : record.listOrNone("testers")) {
            testers.add(Fields.as(String.class, tester, "a tester"));
        }
    }

    public static Verdict read(byte[] value) {
        return new Verdict(Fields.of(value, "verdict"));
    }
}
