package trimtab.transport;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;

/** Kafka cannot be used yet; trying again may help. */
public final class Unreachable extends Exception {
    private static final long serialVersionUID = 1L;
    /** What kafka-clients says, 3.9 and 4.3 alike, when DNS knows none of the hosts. */
    private static final String UNRESOLVED = "No resolvable bootstrap urls";

    public Unreachable(String reason) {
        super(reason);
    }

    /**
     * Why a client of Kafka could not be made: no host was found, which may pass.
     *
     * @throws KafkaException a setting is wrong, and stays so
     */
    public static Unreachable orWrong(KafkaException error) {
        for (Throwable it = error; it != null; it = it.getCause()) {
            // Kafka has no kind of its own for that, and calls it a wrong setting.
            if (it instanceof ConfigException && String.valueOf(it.getMessage()).startsWith(UNRESOLVED)) {
                return new Unreachable("no client of Kafka can be made: " + reason(error));
            }
        }
        throw error;
    }

    /** What an error of Kafka's says, in a few words. */
    public static String reason(Exception error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
