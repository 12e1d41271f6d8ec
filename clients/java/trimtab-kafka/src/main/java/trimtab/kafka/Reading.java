package trimtab.kafka;

import org.apache.kafka.common.TopicPartition;
import trimtab.Grant;

/**
 * One queue that is read under one grant, and what is known of its offsets. Guarded by its {@link Intake}.
 *
 * <p>Its one rule: what Kafka is to have never goes back, but where the log itself did.
 */
final class Reading {
    final Grant grant;
    final TopicPartition place;

    /** The next message that may be handed out. */
    long next;

    /** The end of what was handed out, as far as it was not sought anew. */
    long handed;

    /** The end of all that was ever handed out: what is behind it did not come under this grant. */
    long reached;

    /** The first offset under this grant: what is before it came under another one. */
    long began;

    /** Where the client has to read on; null: it is there already. */
    Long seekTo;

    /** What Kafka has; -1: nothing; null: not known, so nothing may be committed yet. */
    Long committed;

    /** Where the application itself has committed to. */
    long done;

    /**
     * How far its log is known to reach, once that was cut: what Kafka has beyond is the old log's. Whoever began there
     * would skip what producers have written since.
     */
    private long reach = Long.MAX_VALUE;

    /** Whether Kafka does not have the next message: then nobody knows yet where to go on. */
    boolean astray;

    /** Whether the queue is being given up: nothing more is handed out. */
    boolean ending;

    /** Whether its heir is told where to begin: what is done later does not count. */
    boolean given;

    Reading(Grant grant, long at, Long committed, boolean manual) {
        this.grant = grant;
        this.place = placeOf(grant);
        this.next = at;
        this.began = at;
        this.handed = at;
        this.reached = at;
        this.seekTo = at;
        this.committed = committed;
        this.done = manual ? at : 0;
    }

    static TopicPartition placeOf(Grant grant) {
        return new TopicPartition(grant.queue.topic, grant.queue.id);
    }

    boolean isNews(long position) {
        return committed != null && position > committed;
    }

    /** Read on there. */
    void move(long offset) {
        reach = Math.max(reach, Math.max(next, done));
        next = offset;
        began = Math.min(began, offset);
        handed = Math.min(handed, offset);
        seekTo = offset;
        astray = false;
    }

    /**
     * Begins there in a log that was cut, or is another one, and ends here; what is before {@code kept} is done as
     * it was. Kafka is asked anew what it has: of a topic that was deleted it has forgotten all, of a log that was cut
     * nothing.
     */
    void enter(long offset, long end, long kept) {
        next = offset;
        done = Math.min(done, kept);
        committed = null;
        reach = end;
    }

    /** Kafka has this offset; one of an old log is as none, and is written over. */
    void hear(long offset) {
        long known = offset <= Math.max(reach, Math.max(next, done)) ? offset : -1;
        committed = Math.max(known, committed == null ? -1 : committed);
    }
}
