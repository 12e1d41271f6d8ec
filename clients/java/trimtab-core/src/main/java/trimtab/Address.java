package trimtab;

import java.nio.charset.StandardCharsets;
import trimtab.protocol.Assignment;
import trimtab.session.MemberSession;

/**
 * Under which key a member is told: that of its name, or where twins are told apart its life's own.
 *
 * <p>The rule for twins may change while a group is at work, and then a name may be that of one life and say
 * nothing of the others. So what names no life of this process, null or a younger life, counts under the key
 * of the last answer alone. What names this life counts under either.
 */
final class Address {
    private final String name;
    private String answered = "";

    Address(String group, String member) {
        this.name = group.replace("%", "%25").replace("/", "%2F") + "/" + member;
    }

    /** Whether a record under this key may be the member's. */
    boolean has(byte[] key, MemberSession session) {
        String read = text(key);
        return read.equals(name) || read.equals(name + "@" + session.incarnation());
    }

    /** Whether a record says something of this life; null is a tombstone. */
    boolean counts(byte[] key, Assignment record, MemberSession session) {
        if (record != null && session.isNews(record)) {
            answered = text(key);
        }
        return !session.isAnswered() || answered.equals(text(key));
    }

    private static String text(byte[] key) {
        return key == null ? "" : new String(key, StandardCharsets.UTF_8);
    }
}
