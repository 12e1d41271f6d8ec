package trimtab.transport;

/** Kafka cannot be used yet; trying again may help. */
public final class Unreachable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreachable(String reason) {
        super(reason);
    }
}
