package trimtab.protocol;

/** A queue let go: where to go on, and the grant that begins. */
public final class ReleaseRow {
    public final Queue queue;
    public final long epoch;

    /** Null: at the committed offset. */
    public final Long position;

    /** Null: nobody's. */
    public final Next next;

    public ReleaseRow(Queue queue, long epoch, Long position, Next next) {
        this.queue = queue;
        this.epoch = epoch;
        this.position = position;
        this.next = next;
    }
}
