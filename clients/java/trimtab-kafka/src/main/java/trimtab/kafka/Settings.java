package trimtab.kafka;

import java.util.HashMap;
import java.util.Map;

/**
 * The settings of the Kafka clients: the user's, and those that keep them from losing messages.
 *
 * <p>A setting that contradicts is refused by its name: a consumer that commits by itself, or that jumps to
 * the end of a queue, loses messages silently.
 */
final class Settings {
    /** What a user may not change, the value that it has, and why. */
    private static final Map<String, String[]> OURS = Map.of(
            "enable.auto.commit", new String[] {"false", "trimtab commits, and only what is done"},
            "auto.offset.reset", new String[] {"none", "say start(Start.earliest()) or start(Start.latest())"},
            "group.protocol", new String[] {"classic", "trimtab never subscribes, so Kafka's own groups do nothing"});
    /** What a user may not set at all. */
    private static final Map<String, String> REFUSED = Map.of(
            "group.id", "it is the group that was given to ConsumerOptions.of",
            "group.instance.id", "give the name to instance(...)",
            "partition.assignment.strategy", "the controller assigns; its setting is policy.strategy",
            "max.poll.interval.ms", "give it to maxPollInterval(...)",
            "session.timeout.ms", "give it to sessionTimeout(...)",
            "bootstrap.servers", "they were given to ConsumerOptions.of",
            "key.deserializer", "give it to the constructor",
            "value.deserializer", "give it to the constructor");

    private Settings() {}

    /** Those of the {@code KafkaConsumer}. */
    static Map<String, Object> reading(ConsumerOptions options) {
        Map<String, Object> given = new HashMap<>(options.member.kafka());
        given.putAll(options.fetch);
        given.forEach(Settings::check);
        Map<String, Object> settings = new HashMap<>();
        // A broker answers one fetch at a time: a queue that has just begun waits until the one before is
        // answered, if that asks for idle queues. Kafka's default, 500 ms, is that wait.
        settings.put("fetch.max.wait.ms", 25);
        settings.put("isolation.level", "read_committed");
        settings.put("allow.auto.create.topics", false);
        settings.put("reconnect.backoff.max.ms", 1_000);
        settings.putAll(given);
        OURS.forEach((name, why) -> settings.put(name, why[0]));
        settings.put("bootstrap.servers", options.member.servers());
        return settings;
    }

    /** Whether the reader takes messages of transactions that are open, or were given up. */
    static boolean isReadingAll(ConsumerOptions options) {
        return "read_uncommitted".equalsIgnoreCase(String.valueOf(reading(options).get("isolation.level")));
    }

    /** Those of the client that asks for positions, and writes them: nothing of it outlives its time. */
    static Map<String, Object> asking(ConsumerOptions options, int patienceMs) {
        Map<String, Object> settings = new HashMap<>();
        // While no broker answers, it would begin anew hundreds of times a second, and say so each time (4.3.1).
        settings.put("metadata.recovery.strategy", "none");
        settings.putAll(options.member.kafka());
        settings.put("bootstrap.servers", options.member.servers());
        settings.put("reconnect.backoff.max.ms", 1_000);
        settings.put("default.api.timeout.ms", patienceMs);
        settings.put("request.timeout.ms", patienceMs);
        return settings;
    }

    private static void check(String name, Object value) {
        String[] ours = OURS.get(name);
        if (ours != null && !ours[0].equals(String.valueOf(value).toLowerCase(java.util.Locale.ROOT))) {
            throw new IllegalArgumentException(name + ": cannot be " + value + ": " + ours[1] + "; leave it out");
        }
        if (REFUSED.containsKey(name)) {
            throw new IllegalArgumentException(name + ": cannot be set: " + REFUSED.get(name) + "; leave it out");
        }
    }
}
