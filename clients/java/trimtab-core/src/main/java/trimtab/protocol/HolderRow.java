package trimtab.protocol;

/** A queue to hold or to give, under the epoch of its grant. */
public final class HolderRow {
    public final Queue queue;
    public final long epoch;

    /** Null: nobody comes next. */
    public final Next next;

    HolderRow(Queue queue, long epoch, Next next) {
        this.queue = queue;
        this.epoch = epoch;
        this.next = next;
    }
}
