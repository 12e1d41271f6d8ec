package trimtab.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import trimtab.transport.Diagnosis;
import trimtab.transport.Vain;

/**
 * Asks what a group has committed and where queues begin and end, and writes positions.
 *
 * <p>An admin client does it, because it may be asked by any thread, gives each request up in time, and
 * sends nothing any more once it is closed. A {@code KafkaConsumer} belongs to one thread, and retries.
 */
class GroupOffsets { // checks play it
    /**
     * The time of one question, and of one commit. A member gives up its queues a fifth of its session before
     * others may get them, and the default session is 10 s: what was sent in this time is not sent after that.
     */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final long NONE = -1;

    private final ConsumerOptions options;
    private final Diagnosis diagnosis;
    /** That of the reader: to one that waits for the ends of transactions, a log ends before the first open one. */
    private final IsolationLevel isolation;
    /** Without an answer for long, the brokers may have other addresses. */
    private final Vain asked = new Vain();
    private Admin admin;
    private boolean over;

    GroupOffsets(ConsumerOptions options) {
        this.options = options;
        this.isolation = Settings.isReadingAll(options) ? IsolationLevel.READ_UNCOMMITTED : IsolationLevel.READ_COMMITTED;
        this.diagnosis = new Diagnosis(options.member.servers(), options.member.kafka());
    }

    /**
     * What is committed. Where nothing is, Kafka's client says null; where the broker gives an error, nothing: were
     * that taken for null, messages would be skipped, or come again.
     */
    Ends committed(Collection<TopicPartition> places) throws Refused {
        Ends ends = new Ends();
        if (places.isEmpty()) {
            return ends;
        }
        ListConsumerGroupOffsetsSpec asked = new ListConsumerGroupOffsetsSpec().topicPartitions(new ArrayList<>(places));
        Map<TopicPartition, OffsetAndMetadata> found = answer(
                client().listConsumerGroupOffsets(Map.of(options.group, asked)).partitionsToOffsetAndMetadata());
        for (TopicPartition place : places) {
            OffsetAndMetadata at = found.get(place);
            if (at != null && at.offset() > NONE) {
                ends.at.put(place, at.offset());
            } else if (found.containsKey(place)) {
                ends.none.add(place);
            } else {
                ends.refused = new Refused("Kafka at " + options.member.servers() + " does not say what is committed of "
                        + place + ": is the right to read its topic lacking?", null);
            }
        }
        return ends;
    }

    /** Where to begin with queues that have no committed offset. */
    Ends first(Collection<TopicPartition> places) throws Refused {
        // Asked first: what is written between both questions may be since that time, and is read.
        Ends latest = new Ends();
        ask(options.start.isTime() ? places : List.of(), OffsetSpec.latest(), latest);
        Ends ends = new Ends();
        ask(places, options.start.spec, ends);
        latest.at.keySet().retainAll(ends.none); // no message is so young
        ends.at.putAll(latest.at);
        ends.refused = ends.refused == null ? latest.refused : ends.refused;
        return ends;
    }

    /** Sends these; the answer comes later, or an error in time. */
    KafkaFuture<Void> write(Map<TopicPartition, OffsetAndMetadata> places) throws Refused {
        return client().alterConsumerGroupOffsets(options.group, places).all();
    }

    /** Says why Kafka did not take a commit. */
    String reasonOf(Throwable thrown) {
        if (Diagnosis.causeOf(thrown) instanceof UnknownMemberIdException) {
            return "Kafka refuses to commit, because other programs have subscribed under the name of this group, \""
                    + options.group + "\" (Kafka at " + options.member.servers() + "). They get messages that members"
                    + " of trimtab get as well: stop them, or give the members another group";
        }
        return diagnosis.of(thrown);
    }

    /** Which topics do not exist. */
    Collection<String> absent(Collection<String> topics) throws Refused {
        Collection<String> absent = new TreeSet<>();
        for (Map.Entry<String, ? extends KafkaFuture<?>> it : client().describeTopics(topics).topicNameValues().entrySet()) {
            try {
                answer(it.getValue());
            } catch (Refused e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    absent.add(it.getKey());
                } else {
                    throw e;
                }
            }
        }
        return absent;
    }

    /** Lets go of what was sent and has no answer; what was not sent yet never is. */
    synchronized void drop() {
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }

    /** Lets go of it for good. */
    synchronized void close() {
        over = true;
        drop();
    }

    private void ask(Collection<TopicPartition> places, OffsetSpec spec, Ends ends) throws Refused {
        if (places.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        places.forEach(it -> asked.put(it, spec));
        ListOffsetsResult asking = client().listOffsets(asked, new ListOffsetsOptions(isolation));
        for (TopicPartition place : places) { // one that is not there keeps no other waiting
            try {
                long at = answer(asking.partitionResult(place)).offset();
                if (at > NONE) {
                    ends.at.put(place, at);
                } else {
                    ends.none.add(place);
                }
            } catch (Refused e) {
                ends.refused = ends.refused == null ? e : ends.refused;
            }
        }
    }

    private synchronized Admin client() throws Refused {
        if (over) {
            throw new Refused("the consumer is closed", null);
        }
        if (admin == null) {
            try {
                admin = Admin.create(Settings.asking(options, (int) PATIENCE.toMillis()));
            } catch (KafkaException e) {
                throw new Refused(diagnosis.of(e), e);
            }
        }
        return admin;
    }

    private void heardNothing(Exception thrown) {
        Throwable error = Diagnosis.causeOf(thrown);
        boolean isNoAnswer = error instanceof TimeoutException
                || error instanceof org.apache.kafka.common.errors.TimeoutException
                || error instanceof AuthenticationException;
        if (isNoAnswer) {
            asked.fails();
        }
        if (asked.isTooLong()) {
            drop();
        }
    }

    private <T> T answer(KafkaFuture<T> question) throws Refused {
        try {
            T answer = question.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS); // it fails by itself before that
            asked.works();
            return answer;
        } catch (ExecutionException | TimeoutException e) {
            heardNothing(e);
            throw new Refused(reasonOf(e), Diagnosis.causeOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused("interrupted", e);
        }
    }

    /** Where queues begin, end or were left, as far as Kafka says. */
    static final class Ends {
        final Map<TopicPartition, Long> at = new HashMap<>();
        /** Those that have no such message, or no commit. */
        final Collection<TopicPartition> none = new ArrayList<>();
        /** Why Kafka does not say so of the others; null: there are no others. */
        private Refused refused;

        /** Throws if Kafka did not say so of all: after what it said was made use of. */
        void demandAll() throws Refused {
            if (refused != null) {
                throw refused;
            }
        }
    }
}
