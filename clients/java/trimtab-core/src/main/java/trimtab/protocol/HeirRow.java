package trimtab.protocol;

/** A queue to start on, once the grant that it is inherited from was released. */
public final class HeirRow {
    public final Queue queue;
    public final long epoch;
    public final GrantRef from;

    HeirRow(Queue queue, long epoch, GrantRef from) {
        this.queue = queue;
        this.epoch = epoch;
        this.from = from;
    }
}
