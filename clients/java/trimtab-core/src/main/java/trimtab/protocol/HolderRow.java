package trimtab.protocol;

import java.util.Objects;

/** A queue to hold or to give, or that is held, under the epoch of its grant. */
public final class HolderRow {
    public final Queue queue;
    public final long epoch;

    /** Null: nobody comes next. */
    public final Next next;

    public HolderRow(Queue queue, long epoch, Next next) {
        this.queue = queue;
        this.epoch = epoch;
        this.next = next;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HolderRow
                && epoch == ((HolderRow) other).epoch
                && queue.equals(((HolderRow) other).queue)
                && Objects.equals(next, ((HolderRow) other).next);
    }

    @Override
    public int hashCode() {
        return Objects.hash(queue, epoch, next);
    }
}
