package trimtab.transport;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * Makes clients of Kafka, again if they could not be made for something that may pass.
 *
 * <p>Its one rule: seldom, because each client that is made in vain tells all its settings in the log.
 */
public final class Making {
    private static final long AGAIN_NS = 10_000_000_000L;
    /** What the first release has that will do, and the one before has not. */
    private static final String NEEDED = "org.apache.kafka.clients.consumer.CloseOptions";

    private final Diagnosis diagnosis;
    private long triedAt;
    /** Why that was in vain; null: it was not. */
    private Unreachable reason;

    /**
     * Begins with nothing.
     *
     * @throws IllegalStateException kafka-clients is too old: a framework may bring one
     */
    public Making(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
        try {
            Class.forName(NEEDED, false, Making.class.getClassLoader());
        } catch (ClassNotFoundException e) { // later it would be an Error, with messages half handed out
            throw new IllegalStateException("trimtab needs kafka-clients 4.1 or newer, and the class path has "
                    + AppInfoParser.getVersion() + ": with Spring Boot set the property kafka.version", e);
        }
    }

    /**
     * Makes one.
     *
     * @throws Unreachable no host is found, or what it needs is not there: a file, or a service to log in
     * @throws KafkaException a setting is wrong, and stays so
     */
    public <T> T make(Supplier<T> client) throws Unreachable {
        if (reason != null && System.nanoTime() - triedAt < AGAIN_NS) {
            throw reason;
        }
        if (diagnosis.findsNoHost()) {
            throw new Unreachable(diagnosis.ofNoHost());
        }
        try {
            reason = null;
            return client.get();
        } catch (KafkaException e) {
            triedAt = System.nanoTime();
            reason = Unreachable.orWrong(e, diagnosis);
            throw reason;
        }
    }

    /** A producer's request may not take longer than a record, or Kafka's client refuses both; it is given for all clients. */
    public static void fit(Map<String, Object> config) {
        try {
            long most = Math.max(1, millis(config, "delivery.timeout.ms") - millis(config, "linger.ms"));
            if (millis(config, "request.timeout.ms") > most) {
                config.put("request.timeout.ms", (int) most);
            }
        } catch (NumberFormatException e) {
            // Kafka's client says which is no number
        }
    }

    private static long millis(Map<String, Object> config, String name) {
        return Long.parseLong(String.valueOf(config.get(name)).strip());
    }
}
