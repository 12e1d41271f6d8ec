package trimtab.kafka;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import trimtab.MemberOptions;
import trimtab.Waits;
import trimtab.protocol.Limits;

/**
 * Who reads what, and how: one value for {@link TrimtabConsumer}.
 *
 * <p>{@code ConsumerOptions.of("kafka-1:9092", "billing", "orders").start(Start.latest())}. All but the first
 * three have defaults.
 */
public final class ConsumerOptions {
    /** Kafka's rule ({@code Topic.validate}). */
    private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");

    final MemberOptions member;
    final String group;
    final List<String> topics;
    private String memberId;
    boolean manual;
    Duration commitInterval = Duration.ofSeconds(5);
    Duration recommitInterval = Duration.ofMinutes(10);
    Duration maxPollInterval = Duration.ofMinutes(5);
    Start start = Start.earliest();
    final Map<String, Object> fetch = new HashMap<>();
    ConsumerListener listener = new ConsumerListener() {};

    private ConsumerOptions(MemberOptions member, String group, List<String> topics) {
        demandTopics(topics);
        this.member = member;
        this.group = Limits.demandGroup(group);
        this.topics = topics;
    }

    /** Where Kafka is, whose positions count, and what to read. */
    public static ConsumerOptions of(String bootstrapServers, String group, String... topics) {
        return new ConsumerOptions(MemberOptions.of(bootstrapServers), group, List.of(topics));
    }

    /** Its name, unique in the group. Default: the host's, and a random part that each consumer draws. */
    public ConsumerOptions memberId(String name) {
        memberId = name == null ? null : Limits.demandName("memberId", name);
        return this;
    }

    /** The name of one consumer: several may be made of the same options. */
    String name() {
        return memberId == null ? someName() : memberId;
    }

    /**
     * A name that survives restarts: who joins under it takes the place of a process that was killed, with its
     * queues. An orderly end ({@code close}) hands all of them on, with it or without. Default: none.
     */
    public ConsumerOptions instance(String name) {
        member.instance(name);
        return this;
    }

    /** What the names of trimtab's topics begin with. Default: {@code trimtab.} */
    public ConsumerOptions prefix(String itsPrefix) {
        member.prefix(itsPrefix);
        return this;
    }

    /** Silence after which the consumer is dead. Default: 10 s. */
    public ConsumerOptions sessionTimeout(Duration timeout) {
        member.sessionTimeout(timeout);
        return this;
    }

    /**
     * Time to let a queue go: more than what one {@code poll} gives may take. After four fifths of it, or
     * of what the controller grants if that is less, the consumer loses its queues, and commits nothing of them. Default: 60 s.
     */
    public ConsumerOptions revocationTimeout(Duration timeout) {
        member.revocationTimeout(timeout);
        return this;
    }

    /** Commits only what the application gives to {@code commit}. Default: what is done. */
    public ConsumerOptions commitManually() {
        manual = true;
        return this;
    }

    /** How often what is done is committed: what a crash may repeat. Default: 5 s. */
    public ConsumerOptions commitInterval(Duration interval) {
        commitInterval = positive("commitInterval", interval);
        return this;
    }

    /**
     * How often all positions are committed again, because Kafka forgets those of idle queues: keep it
     * well below the brokers' {@code offsets.retention.minutes}. Default: 10 min.
     */
    public ConsumerOptions recommitInterval(Duration interval) {
        recommitInterval = positive("recommitInterval", interval);
        return this;
    }

    /** If the loop does not come back for so long, its queues go to others. Default: 5 min. */
    public ConsumerOptions maxPollInterval(Duration interval) {
        maxPollInterval = positive("maxPollInterval", interval);
        return this;
    }

    /** Where to begin with a queue of which the group has committed nothing. Default: the earliest. */
    public ConsumerOptions start(Start where) {
        start = where;
        return this;
    }

    /** An option of kafka-clients, such as {@code security.protocol}, for all its clients. */
    public ConsumerOptions kafka(String option, Object value) {
        member.kafka(option, value);
        return this;
    }

    /** An option of the guard's Kafka client, where those of kafka-clients cannot be said in its words. */
    public ConsumerOptions guardKafka(String option, Object value) {
        member.guardKafka(option, value);
        return this;
    }

    /** An option for the {@code KafkaConsumer} that reads alone, such as {@code max.poll.records}. */
    public ConsumerOptions fetch(String option, Object value) {
        if (option == null || value == null) {
            throw new IllegalArgumentException("fetch: " + option + " is given as " + value + ": leave it out");
        }
        fetch.put(option, value);
        return this;
    }

    /** Who hears of queues that come and go, and of trouble. Default: nobody, but the log. */
    public ConsumerOptions listener(ConsumerListener hearer) {
        listener = hearer;
        return this;
    }

    /** Refuses what no controller takes: it would be in the dead letters, and the consumer wait for ever. */
    static void demandTopics(List<String> topics) {
        Limits.demandTopics(topics);
        for (String topic : topics) {
            if (!NAME.matcher(topic).matches()) {
                throw new IllegalArgumentException("topics: \"" + topic
                        + "\" is no topic of Kafka's: 1 to 249 letters, digits, dots, _, -, and not \".\" or \"..\"");
            }
        }
    }

    private static Duration positive(String name, Duration given) {
        if (Waits.millis(given) < 1) {
            throw new IllegalArgumentException(name + ": " + given + " is no time to wait");
        }
        return given;
    }

    private static String someName() {
        String random = UUID.randomUUID().toString().substring(0, 8);
        try {
            return InetAddress.getLocalHost().getHostName() + "-" + random;
        } catch (UnknownHostException e) {
            return "java-" + random; // a host without a name
        }
    }
}
