package trimtab.transport;

import org.apache.kafka.common.KafkaException;

/** Kafka cannot be used yet; trying again may help. */
public final class Unreachable extends Exception {
    private static final long serialVersionUID = 1L;

    public Unreachable(String reason) {
        super(reason);
    }

    /**
     * Why a client of Kafka could not be made: no host was found, or a file or a service that it needs, which may pass.
     *
     * @throws KafkaException a setting is wrong, and stays so
     */
    public static Unreachable orWrong(KafkaException error, Diagnosis diagnosis) {
        if (Diagnosis.isWrong(error)) {
            throw error;
        }
        return new Unreachable(diagnosis.of(error));
    }
}
