package trimtab.transport;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer's way to the controller: the verdicts come in from their beginning, reports go out.
 *
 * <p>Used by one thread, which no message waits for. What cannot be done now is said at once.
 */
public final class VerdictLink {
    /** What is asked of Kafka is answered in this time, or asked again. */
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final Map<String, Object> kafka = new HashMap<>();
    private final Diagnosis diagnosis;
    private final Making making;
    private final String verdicts;
    private final String reports;
    private Consumer<byte[], byte[]> consumer;
    private volatile Producer<byte[], byte[]> producer;
    /** Where each log ended when that was asked. */
    private final Map<TopicPartition, Long> ahead = new HashMap<>();
    private long askAgainAt = System.nanoTime();
    private boolean caughtUp;
    /** Reports, until one is delivered: a producer whose own thread is dead says nothing. */
    private final Vain written = new Vain();
    private final AtomicReference<String> refusal = new AtomicReference<>();

    public VerdictLink(String servers, String prefix, Map<String, Object> kafka) {
        this.diagnosis = new Diagnosis(servers, kafka);
        this.making = new Making(diagnosis);
        this.kafka.put("bootstrap.servers", servers);
        this.kafka.put("reconnect.backoff.max.ms", 1_000);
        this.kafka.putAll(kafka);
        this.verdicts = prefix + "brokers";
        this.reports = prefix + "latency";
    }

    /** Begins to follow the verdicts on all clusters: there is one for each broker, and no more. */
    public void open() throws Unreachable {
        connect();
        try {
            List<PartitionInfo> found = consumer.partitionsFor(verdicts, ANSWER);
            if (found == null || found.isEmpty()) {
                throw new Unreachable("topic " + verdicts + " does not exist: run `trimtab topics init`,"
                        + " or give the controller's prefix");
            }
            List<TopicPartition> places = found.stream().map(VerdictLink::placeOf).collect(Collectors.toList());
            consumer.assign(places);
            consumer.seekToBeginning(places);
        } catch (KafkaException e) {
            throw new Unreachable("topic " + verdicts + ": " + diagnosis.of(e));
        }
    }

    private void connect() throws Unreachable {
        if (producer != null) {
            return;
        }
        Map<String, Object> reading = reading();
        if (consumer == null) {
            consumer = making.make(
                    () -> new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        }
        producer = making.make(this::writer);
    }

    private Producer<byte[], byte[]> writer() {
        Map<String, Object> writing = new HashMap<>(kafka);
        writing.put("acks", "1");
        writing.put("enable.idempotence", false); // a report that comes twice is dropped by its number
        writing.put("delivery.timeout.ms", 5_000); // an older one says what the newer one will say
        writing.put("request.timeout.ms", 2_000);
        writing.put("linger.ms", 0);
        writing.put("max.block.ms", ANSWER.toMillis());
        return new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** How verdicts are read: where they were cut, or made anew, from their beginning, as what is valid stands there. */
    Map<String, Object> reading() {
        Map<String, Object> reading = new HashMap<>(kafka);
        reading.put("enable.auto.commit", false);
        reading.put("allow.auto.create.topics", false);
        reading.put("auto.offset.reset", "earliest");
        return reading;
    }

    /** Waits for verdicts, and hands each on with the time that Kafka gave it. */
    public void poll(Duration patience, Reader reader) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(patience)) {
            reader.read(record.key(), record.value(), record.timestamp());
        }
        if (!caughtUp && System.nanoTime() - askAgainAt >= 0) {
            caughtUp = askForEnds() && ahead.entrySet().stream().allMatch(it -> isRead(it.getKey(), it.getValue()));
        }
    }

    /**
     * Asks where the logs end, one by one: one without a leader has no answer, and keeps no other back. Says whether
     * it is known of all that have one.
     */
    private boolean askForEnds() {
        long began = System.nanoTime();
        boolean isAll = true;
        for (PartitionInfo it : consumer.partitionsFor(verdicts, ANSWER)) {
            TopicPartition place = placeOf(it);
            boolean isLed = it.leader() != null && !it.leader().isEmpty();
            boolean isRead = consumer.assignment().contains(place); // others have come since
            if (isRead && isLed && !ahead.containsKey(place)) {
                try {
                    ahead.put(place, consumer.endOffsets(Set.of(place), ANSWER).get(place));
                } catch (TimeoutException e) {
                    isAll = false;
                }
            }
        }
        long now = System.nanoTime();
        askAgainAt = isAll ? now : now + 4 * (now - began); // most of the time it reads what there is
        return isAll && !ahead.isEmpty();
    }

    private boolean isRead(TopicPartition place, long end) {
        try {
            return consumer.position(place, Duration.ZERO) >= end;
        } catch (TimeoutException e) { // it asks where the log begins
            return false;
        }
    }

    private static TopicPartition placeOf(PartitionInfo it) {
        return new TopicPartition(it.topic(), it.partition());
    }

    /** Whether all that had been said when it was opened was read, but for what stands in a log without a leader. */
    public boolean hasCaughtUp() {
        return caughtUp;
    }

    /** Writes a report. When Kafka is away it is lost, and the next one says the same. */
    public void report(String cluster, String report) {
        byte[] key = cluster.getBytes(StandardCharsets.UTF_8);
        byte[] value = report.getBytes(StandardCharsets.UTF_8);
        try {
            renew();
            written.fails();
            Producer<byte[], byte[]> mine = producer;
            mine.send(new ProducerRecord<>(reports, key, value), (place, error) -> {
                if (mine == producer) { // what is told of one that was replaced says nothing of this one
                    heard(error);
                }
            });
        } catch (KafkaException e) {
            heard(e);
        }
    }

    private void heard(Exception error) {
        if (error == null) {
            written.works();
        }
        refusal.set(error == null ? null : "topic " + reports + ": " + diagnosis.of(error));
    }

    /** If no host is found, what there is will do. */
    private void renew() {
        if (written.isTooLong()) {
            Producer<byte[], byte[]> former = producer;
            try {
                producer = writer();
            } catch (KafkaException e) {
                heard(e);
                return;
            }
            former.close(Duration.ZERO);
        }
    }

    /** Why the last report did not reach Kafka, once; null: it did, or that is not known yet. */
    public String refusal() {
        return refusal.getAndSet(null);
    }

    /** Sends what is still to be sent, and disconnects. */
    public void close() {
        if (producer != null) {
            producer.close(CLOSE);
        }
        if (consumer != null) {
            consumer.close(CloseOptions.timeout(CLOSE));
        }
    }

    /** Takes one record; key or value may be null. */
    public interface Reader {
        void read(byte[] key, byte[] value, long appendedMs);
    }
}
