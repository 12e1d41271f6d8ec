package trimtab.rocketmq.broker;

import java.util.Map;

/**
 * How much a broker remembers of what clients say: whoever can reach it may make names up.
 *
 * <p>Its one rule: what finds no room is not remembered, and the broker's own answer stays.
 */
final class Room {
    /** Clients, or queues, of one broker: some fifty megabytes of names as they are. */
    static final int ENTRIES = 100_000;
    /** RocketMQ's names of groups are no longer, and the controller takes no longer names of clients. */
    private static final int CHARACTERS = 255;

    private Room() {}

    /** Whether all of these are names. */
    static boolean areNames(String... said) {
        for (String each : said) {
            if (each == null || each.length() > CHARACTERS) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is room for this in a map. */
    static <K> boolean isIn(Map<K, ?> map, K key) {
        return map.size() < ENTRIES || map.containsKey(key);
    }
}
