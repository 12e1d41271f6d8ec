package trimtab.rocketmq.broker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * How old a record is at most that was read just now: by where its log ended when that was asked.
 *
 * <p>Whoever was cut off from Kafka, or begins, reads old records as if they were new. A timestamp would tell, but
 * only beside the clock of another machine. Its one rule: a record that may be of any age proves nothing.
 */
final class Recency {
    /** Much less than the time between two signs of a controller. */
    private static final long PAUSE_NS = 1_000_000_000L;
    /** A log without a leader costs this time at each question. */
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final Map<TopicPartition, Ends> ends = new HashMap<>();
    /** What was read of is asked about, and nothing else: a controller keeps to one place. */
    private final Set<TopicPartition> read = new HashSet<>();
    private long askedAt;

    /** Whether it is time to ask again where the logs end. */
    boolean isDue(long now) {
        return now - askedAt > PAUSE_NS;
    }

    /** Asks where the logs end, one by one: one without a leader leaves the others' answers as they are. */
    void ask(Consumer<?, ?> consumer, Collection<TopicPartition> all, LongSupplier clock) {
        TimeoutException failed = null;
        boolean isAnswered = false;
        for (TopicPartition place : read.isEmpty() ? all : read) {
            askedAt = clock.getAsLong();
            try {
                long end = consumer.endOffsets(List.of(place), ANSWER).get(place);
                ends.put(place, new Ends(end, askedAt, ends.get(place)));
                isAnswered = true;
            } catch (TimeoutException e) {
                failed = e;
            }
        }
        if (failed != null && !isAnswered) {
            throw failed;
        }
    }

    /** Since when at the earliest a record has been there that was read; null: nobody knows. */
    Long since(TopicPartition place, long offset) {
        read.add(place);
        for (Ends asked = ends.get(place); asked != null; asked = asked.former) {
            if (offset >= asked.end) {
                return asked.at;
            }
        }
        return null;
    }

    /** Where a log ended, by two questions: a record may come between its reading and the next one. */
    private static final class Ends {
        final long end;
        final long at;
        /** Null: none is kept. */
        final Ends former;

        Ends(long end, long at, Ends before) {
            this.end = end;
            this.at = at;
            former = before == null ? null : new Ends(before.end, before.at, null);
        }
    }
}
