package trimtab.kafka;

/** Kafka did not take a commit, or did not say so in time. What was to be committed may be read again. */
public final class CommitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommitException(String text, Throwable cause) {
        super(text, cause);
    }
}
