package trimtab.rocketmq.broker;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How old a record is at most that was read just now: by where its log ended when that was asked.
 *
 * <p>Whoever was cut off from Kafka, or begins, reads old records as if they were new. A timestamp would tell, but
 * only beside the clock of another machine. Its one rule: a record that may be of any age proves nothing.
 */
final class Recency {
    /** Much less than the time between two signs of a controller. */
    private static final long PAUSE_NS = 1_000_000_000L;

    /** Two, because a record may come between the reading and the next question. */
    private Map<TopicPartition, Long> former = Map.of();
    private Map<TopicPartition, Long> latest = Map.of();
    private long formerAt;
    private long latestAt;

    /** Whether it is time to ask again where the logs end. */
    boolean isDue(long now) {
        return now - latestAt > PAUSE_NS;
    }

    /** Takes where the logs ended, and when that was asked. */
    void ended(Map<TopicPartition, Long> ends, long askedAt) {
        former = latest;
        formerAt = latestAt;
        latest = Map.copyOf(ends);
        latestAt = askedAt;
    }

    /** Since when at the earliest a record has been there; null: nobody knows. */
    Long since(TopicPartition place, long offset) {
        if (offset >= latest.getOrDefault(place, Long.MAX_VALUE)) {
            return latestAt;
        }
        return offset >= former.getOrDefault(place, Long.MAX_VALUE) ? formerAt : null;
    }
}
