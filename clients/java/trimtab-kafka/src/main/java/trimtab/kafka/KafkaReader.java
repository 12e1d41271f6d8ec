package trimtab.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.Deserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.transport.Diagnosis;
import trimtab.transport.Making;
import trimtab.transport.Unreachable;

/**
 * A {@code KafkaConsumer} that reads what its intake says, and nothing else. Only the polling thread uses it,
 * but for {@link #wake}.
 */
final class KafkaReader<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** The longest wait at once: until the member is asked again what it owns. */
    private static final long SLICE_MS = 1_000;
    /** Between two tries to make the client, while no host is found. */
    private static final long RETRY_MS = 1_000;
    /** After trouble that may come again at once. */
    private static final long PAUSE_MS = 100;
    /** How often it is looked how far the client has come where it has no messages. */
    private static final long PASSED_MS = 1_000;
    /** It is no member of Kafka's group, so there is nothing to say; by itself it would wait for half a minute. */
    private static final Duration CLOSE = Duration.ofSeconds(2);
    /** Connections that are idle for nine minutes are closed (kafka-clients' {@code connections.max.idle.ms}). */
    private static final long WARM_MS = 240_000;
    /** Nothing is read while it is asked where a queue begins: so what can be read is read for four fifths of the time. */
    private static final long GO_ON_MS = 4 * GroupOffsets.PATIENCE.toMillis();
    /** Nothing is begun meanwhile. What takes longer to connect goes on connecting. */
    private static final Duration WARM_PATIENCE = Duration.ofMillis(500);

    private final Supplier<Consumer<K, V>> maker;
    private final Intake intake;
    private final Telling telling;
    private final Diagnosis diagnosis;
    private final Making making;
    private volatile List<String> topics;
    private volatile Consumer<K, V> consumer;
    private long openAt = now();
    private long passedAt;
    private volatile long warmAt = now();
    /** Queues whose next message Kafka does not have, and where that would be; the first is asked for first. */
    private final Map<TopicPartition, Long> astray = new LinkedHashMap<>();
    /** Of some of these where their log was cut: before that it is the one that was read. */
    private final Map<TopicPartition, Long> cuts = new HashMap<>();
    /** Those of which it was asked in vain where they begin: their next turn is not before {@code goOnAt}. */
    private final Set<TopicPartition> unanswered = new HashSet<>();
    private long goOnAt = now();
    /** Topics that may not be read, each until it is tried again. */
    private final Map<String, Long> barred = new HashMap<>();
    /** What is paused besides, as the intake says. */
    private Set<TopicPartition> planned = Set.of();

    KafkaReader(ConsumerOptions options, Intake intake, Telling telling, Deserializer<K> keys, Deserializer<V> values) {
        this(options, intake, telling, maker(Settings.reading(options), keys, values));
    }

    KafkaReader(ConsumerOptions options, Intake intake, Telling telling, Supplier<Consumer<K, V>> maker) {
        this.topics = options.topics;
        this.intake = intake;
        this.telling = telling;
        this.diagnosis = new Diagnosis(options.member.servers(), options.member.kafka());
        this.making = new Making(diagnosis);
        this.maker = maker;
    }

    private static <K, V> Supplier<Consumer<K, V>> maker(
            Map<String, Object> settings, Deserializer<K> keys, Deserializer<V> values) {
        return () -> new KafkaConsumer<>(settings, keys, values);
    }

    /** Stays connected to the leaders of these topics, instead of those before. */
    void follow(List<String> others) {
        topics = List.copyOf(others);
        warmAt = now(); // after the topics: who is about to connect connects to these, now or once more
    }

    /** Ends a wait, if there is one: what is to be read has changed. */
    void wake() {
        intake.wake();
        Consumer<K, V> reading = consumer;
        if (reading != null) {
            reading.wakeup();
        }
    }

    /** Reads what there is, and waits for that; it may be woken, and have nothing. */
    ConsumerRecords<K, V> read(long timeoutMs) {
        long sliceMs = Math.min(timeoutMs, SLICE_MS);
        try {
            if (!isOpen()) {
                return nothing(Math.min(timeoutMs, PAUSE_MS));
            }
            follow();
            goOn();
            if (consumer.assignment().isEmpty()) {
                stayWarm();
                return nothing(sliceMs);
            }
            lookHowFar(); // before it reads: what it has read is not handed out yet
            return consumer.poll(Duration.ofMillis(sliceMs));
        } catch (WakeupException e) {
            return ConsumerRecords.empty();
        } catch (OffsetOutOfRangeException e) {
            astray.putAll(e.offsetOutOfRangePartitions());
            if (e instanceof LogTruncationException) {
                ((LogTruncationException) e).divergentOffsets().forEach(this::cut);
            }
            intake.stray(e.offsetOutOfRangePartitions().keySet());
            return ConsumerRecords.empty();
        } catch (RecordDeserializationException | InterruptException e) {
            throw e; // the application's own
        } catch (TopicAuthorizationException e) {
            telling.troubleOnce(diagnosis.of(e));
            return bar(e) ? ConsumerRecords.empty() : nothing(Math.min(timeoutMs, PAUSE_MS));
        } catch (KafkaException e) {
            telling.troubleOnce(diagnosis.of(e));
            return nothing(Math.min(timeoutMs, PAUSE_MS));
        } catch (Throwable e) { // an Error of a deserializer, or what Kotlin and Lombok throw unchecked
            intake.readAgain(); // the client may be behind messages that nobody was given
            throw e;
        }
    }

    void close() {
        Consumer<K, V> reading = consumer;
        consumer = null;
        if (reading != null) {
            reading.close(CloseOptions.timeout(CLOSE));
        }
    }

    /** A host or a file that is not found yet may be in a moment; a setting that is wrong stays so. */
    private boolean isOpen() {
        if (consumer != null) {
            return true;
        }
        if (now() < openAt) {
            return false;
        }
        openAt = now() + RETRY_MS;
        try {
            consumer = making.make(maker);
            return true;
        } catch (Unreachable e) {
            telling.troubleOnce(e.getMessage());
            return false;
        } catch (KafkaException e) {
            throw new IllegalArgumentException("a setting of the consumer: " + causes(e), e);
        }
    }

    private void follow() {
        boolean isOpen = barred.values().removeIf(until -> now() >= until);
        Intake.Plan plan = intake.plan();
        if (plan == null && barred.isEmpty() && !isOpen) {
            return;
        }
        if (plan != null) {
            if (!plan.places.equals(consumer.assignment())) {
                consumer.assign(plan.places); // those that stay keep their positions, and what was fetched
            }
            plan.seeks.forEach(consumer::seek);
            astray.keySet().removeAll(plan.seeks.keySet());
            planned = plan.paused;
        }
        pauseExactly(consumer.assignment().stream()
                .filter(it -> planned.contains(it) || barred.containsKey(it.topic()))
                .collect(Collectors.toSet()));
    }

    private void pauseExactly(Set<TopicPartition> places) {
        Set<TopicPartition> paused = consumer.paused();
        Set<TopicPartition> anew = new HashSet<>(places);
        anew.removeAll(paused);
        Set<TopicPartition> back = new HashSet<>(paused);
        back.removeAll(places);
        consumer.pause(anew);
        consumer.resume(back);
    }

    /** Leaves topics alone for a while that may not be read, for each try ends a wait; says whether one was read until now. */
    private boolean bar(TopicAuthorizationException refusal) {
        long until = now() + GO_ON_MS;
        boolean isNews = !barred.keySet().containsAll(refusal.unauthorizedTopics());
        refusal.unauthorizedTopics().forEach(it -> barred.put(it, until));
        return isNews;
    }

    /** Stays connected, so that the first message of a queue that may come at any moment comes at once. */
    private void stayWarm() {
        long now = now();
        if (now >= warmAt) {
            warmAt = now + WARM_MS;
            try {
                for (String topic : topics) {
                    consumer.partitionsFor(topic, WARM_PATIENCE);
                }
            } catch (TimeoutException e) {
                LOG.info("not connected yet: {}", e.getMessage()); // whoever has a queue to read says what is wrong
            }
        }
    }

    /** Passes what is no message: the marks of transactions, and what was compacted. */
    private void lookHowFar() {
        long now = now();
        if (now < passedAt) {
            return;
        }
        passedAt = now + PASSED_MS;
        Map<TopicPartition, Long> positions = new HashMap<>();
        for (TopicPartition place : consumer.assignment()) {
            try {
                positions.put(place, consumer.position(place, Duration.ZERO));
            } catch (TimeoutException e) {
                LOG.debug("{}: the client asks where it is", place); // after a change of leaders
            }
        }
        intake.passed(positions);
    }

    /**
     * Goes on where Kafka does not have the next one: where its log was cut, or else with the earliest there is. A
     * queue without a leader has no answer: then all others are read, and it has its next turn after them. What is new
     * has its first at once.
     */
    private void goOn() {
        astray.keySet().retainAll(consumer.assignment()); // of others there may be no answer, and none is needed
        unanswered.retainAll(astray.keySet());
        cuts.keySet().retainAll(astray.keySet());
        List<TopicPartition> asked = new ArrayList<>(astray.keySet());
        if (now() < goOnAt) {
            asked.removeAll(unanswered);
        }
        for (TopicPartition place : asked) {
            long before = astray.get(place);
            try {
                Long cut = cuts.get(place);
                long first = consumer.beginningOffsets(Set.of(place), GroupOffsets.PATIENCE).get(place);
                long at = cut == null ? first : Math.max(first, cut);
                long end = cut != null ? cut
                        : at < before ? consumer.endOffsets(Set.of(place), GroupOffsets.PATIENCE).get(place) : at;
                astray.remove(place);
                cuts.remove(place);
                unanswered.remove(place);
                goOn(place, before, at, end, cut);
            } catch (WakeupException | InterruptException e) {
                throw e;
            } catch (KafkaException e) {
                astray.remove(place);
                astray.put(place, before);
                unanswered.add(place);
                goOnAt = now() + GO_ON_MS;
                telling.troubleOnce(diagnosis.of(e));
                break;
            }
        }
        follow();
    }

    /** Of a topic that was made anew, whose epochs begin at 0 again, a broker says the same: nothing of it was read. */
    private void cut(TopicPartition place, OffsetAndMetadata at) {
        if (at.leaderEpoch().orElse(0) > 0) {
            cuts.put(place, at.offset());
        }
    }

    private void goOn(TopicPartition place, long before, long at, long end, Long cut) {
        if (cut != null) {
            LOG.warn("{}: the log was cut at offset {}, {} is not there: reading goes on at {}", place, cut, before, at);
        } else if (before <= at) {
            LOG.warn("{}: Kafka has deleted offset {}, reading goes on at {}", place, before, at);
        } else {
            LOG.warn("{}: offset {} {}: reading goes on at {}: was the log cut, or the topic made anew?",
                    place, before, before > end ? "is beyond the end, " + end : "was not there", at);
        }
        intake.goOn(place, before, at, end, cut);
    }

    private ConsumerRecords<K, V> nothing(long timeoutMs) {
        try {
            intake.await(timeoutMs);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
        return ConsumerRecords.empty();
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private static String causes(Throwable error) {
        return error.getCause() == null ? error.getMessage() : error.getMessage() + ": " + error.getCause().getMessage();
    }
}
