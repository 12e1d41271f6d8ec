package trimtab.guard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import trimtab.protocol.JsonWriter;

/**
 * A member's request to a guard: how to reach Kafka for it, and how long a record of it is worth anything.
 *
 * <p>The guard is a program in Python with a Kafka client of its own. Options given for that client are said as
 * they are, and no others; without any, those of kafka-clients are said in its words.
 */
public final class Post {
    private final String servers;
    private final String group;
    private final String prefix;
    private final Duration patience;
    private final Map<String, Object> kafka;
    private final Map<String, Object> ofGuard;

    public Post(
            String servers,
            String group,
            String prefix,
            Duration patience,
            Map<String, Object> kafka,
            Map<String, Object> ofGuard) {
        this.servers = servers;
        this.group = group;
        this.prefix = prefix;
        this.patience = patience;
        this.kafka = kafka;
        this.ofGuard = ofGuard;
    }

    /** What is said to the guard, as JSON. */
    String line() throws Unguarded {
        Map<String, Object> options = new LinkedHashMap<>();
        ofGuard.forEach((option, value) -> options.put(option, isPlain(value) ? value : Translation.text(value)));
        Map<String, Object> translated = options.isEmpty() ? new Translation(kafka).options() : Map.of();
        options.putAll(translated);
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("kind", "post");
        said.put("servers", servers);
        said.put("group", group);
        said.put("prefix", prefix);
        said.put("patience_ms", patience.toMillis());
        said.put("client", translated.isEmpty() ? null : "confluent"); // these are its words
        said.put("kafka", options);
        return JsonWriter.write(said);
    }

    private static boolean isPlain(Object value) {
        return value instanceof Integer || value instanceof Long || value instanceof Boolean;
    }
}
