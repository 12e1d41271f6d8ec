package trimtab.session;

import java.util.Locale;

/**
 * Which life of a member a record is from: 13 digits (the start of the process in ms), 8 hex digits.
 *
 * <p>The order of the strings is the order of age. The second part is random at first, which tells
 * apart processes that started in the same millisecond, and then counts the lives of the process.
 * Some languages have digits of their own, so it is written in none.
 */
public final class Incarnation {
    private Incarnation() {}

    /** The first life: 31 random bits leave room to count. */
    public static String first(long startMs, int nonce) {
        return String.format(Locale.ROOT, "%013d-%08x", startMs, nonce & 0x7FFFFFFF);
    }

    static String next(String current) {
        int hyphen = current.indexOf('-');
        long number = Long.parseLong(current.substring(hyphen + 1), 16);
        return String.format(Locale.ROOT, "%s-%08x", current.substring(0, hyphen), number + 1);
    }
}
