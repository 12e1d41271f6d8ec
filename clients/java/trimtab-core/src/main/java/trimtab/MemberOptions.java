package trimtab;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import trimtab.protocol.Limits;
import trimtab.transport.KafkaTransport;

/** How a member reaches Kafka, and how long its silence is borne. All but the servers have defaults. */
public final class MemberOptions {
    /** Below it a garbage collection looks like a death. */
    private static final Duration LEAST = Duration.ofMillis(Limits.SHORTEST_MS);
    /** Beyond it a timeout only hides a dead member. */
    private static final Duration MOST = Duration.ofMillis(Limits.LONGEST_MS);

    final String servers;
    String prefix = "trimtab.";
    Duration sessionTimeout = Duration.ofSeconds(10);
    Duration revocationTimeout = Duration.ofSeconds(60);
    String instance;
    final Map<String, Object> kafka = new HashMap<>();
    final Map<String, Object> guardKafka = new HashMap<>();

    private MemberOptions(String servers) {
        this.servers = servers;
    }

    /** The Kafka of the controller, as {@code host:port,host:port}. */
    public static MemberOptions of(String bootstrapServers) {
        return new MemberOptions(bootstrapServers);
    }

    /** What the names of trimtab's topics begin with. Default: {@code trimtab.} */
    public MemberOptions prefix(String itsPrefix) {
        prefix = itsPrefix;
        return this;
    }

    /** Silence after which the member is dead. Default: 10 s. */
    public MemberOptions sessionTimeout(Duration timeout) {
        sessionTimeout = within("sessionTimeout", timeout);
        return this;
    }

    /** Time to let a queue go: at least the longest piece of work. Default: 60 s. */
    public MemberOptions revocationTimeout(Duration timeout) {
        revocationTimeout = within("revocationTimeout", timeout);
        return this;
    }

    /**
     * A name that survives restarts: who joins under it takes the place of a process that was killed, with its
     * queues. An orderly end ({@code leave}) hands all of them on, with it or without. Default: none.
     */
    public MemberOptions instance(String name) {
        instance = name == null ? null : Limits.demandName("instance", name);
        return this;
    }

    /** An option of kafka-clients, such as {@code security.protocol}, for all its clients. */
    public MemberOptions kafka(String option, Object value) {
        kafka.put(option, given("kafka", option, value));
        return this;
    }

    /**
     * An option of the Kafka client of the guard (librdkafka's), if the process runs under {@code trimtab-guard}:
     * only needed where those of kafka-clients cannot be said in its words. If you give one, give all.
     */
    public MemberOptions guardKafka(String option, Object value) {
        guardKafka.put(option, given("guardKafka", option, value));
        return this;
    }

    /** The Kafka of the controller. */
    public String servers() {
        return servers;
    }

    private static Duration within(String name, Duration given) {
        if (given.compareTo(LEAST) < 0) {
            throw new IllegalArgumentException(name + ": " + given + " is too short: " + LEAST + " at least");
        }
        if (given.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(name + ": " + given + " is too long: " + MOST + " at most");
        }
        return given;
    }

    private static Object given(String what, String option, Object value) {
        if (option == null || value == null) {
            throw new IllegalArgumentException(what + ": " + option + " is given as " + value + ": leave it out");
        }
        return value;
    }

    /** Silence after which the member is dead. */
    public Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** Time to let a queue go. */
    public Duration revocationTimeout() {
        return revocationTimeout;
    }

    /** A way to Kafka by these options, for one member. */
    public KafkaTransport transport() {
        return new KafkaTransport(servers, prefix, sessionTimeout, new HashMap<>(kafka));
    }

    /** The options of kafka-clients that were given. */
    public Map<String, Object> kafka() {
        return Map.copyOf(kafka);
    }
}
