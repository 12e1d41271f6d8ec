package trimtab.kafka;

/** Kafka did not do what it was asked for, or did not say so in time. It is asked again. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String text, Throwable cause) {
        super(text, cause);
    }
}
