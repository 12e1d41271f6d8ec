package trimtab.kafka;

/** The consumer has ended by itself, and others have its queues. Make a new one, if another may take its place. */
public class ConsumerFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConsumerFailedException(String text) {
        super(text);
    }
}
