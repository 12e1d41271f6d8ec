package trimtab;

import java.util.Objects;
import trimtab.protocol.Queue;

/**
 * The right to work on a queue: with a token, and the place to begin.
 *
 * <p>Send the token with your writes: it grows with every owner of a queue, so a store that keeps
 * the highest one can refuse a writer that comes too late. A grant does not know whether it is still
 * valid; {@link Member#holds} does.
 */
public final class Grant {
    public final Queue queue;
    public final long token;

    /** Where the last owner stopped, if it said so; null: begin at the committed offset. */
    public final Long position;

    /** The member that had the queue before, if that is known; else null. */
    public final String formerOwner;

    public Grant(Queue queue, long token, Long position, String formerOwner) {
        this.queue = queue;
        this.token = token;
        this.position = position;
        this.formerOwner = formerOwner;
    }

    /** Two grants of one queue never have the same token. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Grant
                && token == ((Grant) other).token
                && queue.equals(((Grant) other).queue);
    }

    @Override
    public int hashCode() {
        return Objects.hash(queue, token);
    }

    @Override
    public String toString() {
        return queue + "@" + token;
    }
}
