package trimtab.transport;

import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/**
 * Makes clients of Kafka, again if they could not be made for something that may pass.
 *
 * <p>Its one rule: seldom, because each client that is made in vain tells all its settings in the log.
 */
public final class Making {
    private static final long AGAIN_NS = 10_000_000_000L;

    private final Diagnosis diagnosis;
    private long triedAt;
    /** Why that was in vain; null: it was not. */
    private Unreachable reason;

    public Making(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
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
}
