package trimtab.protocol;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The limits of the wire; the Python SDK gives the reason of each ({@code protocol/limits.py}, {@code names.py}).
 *
 * <p>What is beyond one is put into the dead letters by the controller, and whoever wrote it waits for ever. So
 * it is refused where it is given, by its name. What comes from Kafka and is beyond one is skipped.
 */
public final class Limits {
    /** The longest timeout: a day. */
    public static final long LONGEST_MS = 86_400_000;
    /** The shortest. */
    public static final long SHORTEST_MS = 100;

    /** How far above the grant that it ends a release may name a life: what is beyond was never drawn. */
    public static final long NAMED_AHEAD = 1_000_000;

    /** Epochs and sequences: every reader of JSON keeps these exactly. */
    static final long SAFE_INTEGER = (1L << 53) - 1;

    static final int RECORD_BYTES = 1024 * 1024;
    static final int QUEUES_PER_RECORD = 10_000;

    private static final int NAME_CHARACTERS = 255;
    private static final int TOPICS = 1_000;
    /** Keys under which the controller has records of its own. */
    private static final Set<String> RESERVED = Set.of("$tick", "$start", "$told");
    private static final Pattern FORBIDDEN = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\p{Cs}]");
    private static final Pattern INCARNATION = Pattern.compile("[0-9]{13}-[0-9a-f]{8}");

    private Limits() {}

    /** Refuses what is no group's name. */
    public static String demandGroup(String given) {
        return demandKey("group", given);
    }

    /** Refuses what is no cluster's name. */
    public static String demandCluster(String given) {
        return demandKey("cluster", given);
    }

    private static String demandKey(String option, String given) {
        demandName(option, given);
        if (RESERVED.contains(given)) {
            throw new IllegalArgumentException(option + ": \"" + given
                    + "\" is a name of the controller's own: give the " + option + " another one");
        }
        return given;
    }

    /** Refuses what is no name of a member, of an instance, of a topic, or of who reports. */
    public static String demandName(String option, String given) {
        if (given == null) {
            throw new IllegalArgumentException(option + ": null is no name: " + rule());
        }
        if (!isName(given)) {
            throw new IllegalArgumentException(option + ": \"" + given + "\" is no name: " + rule());
        }
        return given;
    }

    /** Refuses topics that nobody can subscribe. */
    public static List<String> demandTopics(List<String> given) {
        if (given.isEmpty()) {
            throw new IllegalArgumentException("topics: name at least one");
        }
        if (given.size() > TOPICS) {
            throw new IllegalArgumentException(
                    "topics: these are " + given.size() + ", and a member may have " + TOPICS + ": use more members");
        }
        if (new HashSet<>(given).size() < given.size()) {
            throw new IllegalArgumentException("topics: one is named twice: " + given);
        }
        given.forEach(it -> demandName("topics", it));
        return given;
    }

    static boolean isName(String text) {
        return !text.isEmpty() && isNameOrEmpty(text);
    }

    static boolean isNameOrEmpty(String text) {
        return text.codePointCount(0, text.length()) <= NAME_CHARACTERS && !FORBIDDEN.matcher(text).find();
    }

    static boolean isIncarnation(String text) {
        return INCARNATION.matcher(text).matches();
    }

    private static String rule() {
        return "1 to " + NAME_CHARACTERS + " characters, none of them a control character";
    }
}
