package trimtab.rocketmq;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import trimtab.protocol.Limits;

/** How a producer reaches the controller's Kafka, and as whom it reports. All but the servers have defaults. */
public final class ProducerOptions {
    /** The controller refuses shorter ones. */
    private static final Duration SHORTEST_WINDOW = Duration.ofMillis(100);
    /** The jury's sweep, if it was not set: no two longer windows need end in the same one. */
    private static final Duration LONGEST_WINDOW = Duration.ofSeconds(10);

    final String servers;
    String prefix = "trimtab.";
    String cluster;
    String reporter;
    Duration window = Duration.ofSeconds(2);
    final Map<String, Object> kafka = new HashMap<>();

    private ProducerOptions(String servers) {
        this.servers = servers;
    }

    /** The Kafka of the controller, as {@code host:port,host:port}. */
    public static ProducerOptions of(String bootstrapServers) {
        return new ProducerOptions(bootstrapServers);
    }

    /** What the names of trimtab's topics begin with. Default: {@code trimtab.} */
    public ProducerOptions prefix(String itsPrefix) {
        prefix = itsPrefix;
        return this;
    }

    /**
     * The name of the brokers' cluster in reports and verdicts. Default: the one that the brokers
     * have at their name server. Give one if two clusters of yours have the same name.
     */
    public ProducerOptions cluster(String name) {
        cluster = name == null ? null : Limits.demandCluster(name);
        return this;
    }

    /**
     * The name to report under: one for each producer, such as the pod's name of a StatefulSet where a process
     * has one producer. Of several that share a name, in one process too, only the youngest is heard. Default:
     * the client's address and a random part.
     */
    public ProducerOptions reporter(String name) {
        reporter = name == null ? null : Limits.demandName("reporter", name);
        return this;
    }

    /**
     * The window that a report sums up: 10 s at most, and no longer than the controller's
     * {@code brokers.sweep_interval}, since only votes of one sweep make a quorum. Default: 2 s.
     */
    public ProducerOptions reportEvery(Duration itsWindow) {
        if (itsWindow.compareTo(SHORTEST_WINDOW) < 0) {
            throw new IllegalArgumentException("reportEvery: at least " + SHORTEST_WINDOW.toMillis() + " ms");
        }
        if (itsWindow.compareTo(LONGEST_WINDOW) > 0) {
            throw new IllegalArgumentException("reportEvery: at most " + LONGEST_WINDOW.toMillis()
                    + " ms: the controller counts votes so often");
        }
        window = itsWindow;
        return this;
    }

    /** An option of kafka-clients, such as {@code security.protocol}, for all its clients. */
    public ProducerOptions kafka(String option, Object value) {
        kafka.put(option, value);
        return this;
    }
}
