package trimtab.kafka;

/** The loop has not come back within {@link ConsumerOptions#maxPollInterval}, so its queues went to others. */
public final class StuckException extends ConsumerFailedException {
    private static final long serialVersionUID = 1L;

    StuckException(String text) {
        super(text);
    }
}
