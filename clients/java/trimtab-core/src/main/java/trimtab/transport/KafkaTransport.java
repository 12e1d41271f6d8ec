package trimtab.transport;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import trimtab.protocol.Topic;
import trimtab.session.Action.Send;

/**
 * One member's way to Kafka: writes records, and follows its group's partition of two topics.
 *
 * <p>One thread uses it, but for {@link #send}, which any may call, and {@link #prepare} and {@link #forgo},
 * which another may before there is a member. Only Kafka's answer proves that a member has read the log to its
 * end: silence may also mean that nothing gets through.
 */
public final class KafkaTransport {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final String prefix;
    private final String servers;
    private final Duration patience;
    private final Map<String, Object> kafka;
    private final Diagnosis diagnosis;
    private final Making making;
    /** They are made when it opens: a host that cannot be found yet makes that fail. */
    private KafkaConsumer<byte[], byte[]> consumer;
    private Admin admin;
    /**
     * Made when the others have been answered. A producer that is refused while it asks for its id (its password is
     * wrong, say) never asks again, and writes nothing (kafka-clients 4.3.1).
     */
    private Writer writer;
    /** Held to hand something to the writer, and to replace it. */
    private final Object writing = new Object();
    private final Vain opening = new Vain();
    private final Vain asked = new Vain();
    private final Vain read = new Vain();
    private final Vain written = new Vain();
    private final Map<TopicPartition, Topic> followed = new HashMap<>();
    /** The next record of each. */
    private final Map<TopicPartition, Long> places = new HashMap<>();
    private int partition;
    /** Whom it serves; null: nobody yet. */
    private Inbox inbox;

    /** The last answer, until that far has been read; null: none. */
    private volatile End end;
    private volatile boolean asking;

    public KafkaTransport(String servers, String prefix, Duration patience, Map<String, Object> kafka) {
        this.servers = servers;
        this.prefix = prefix;
        this.patience = patience;
        this.kafka = kafka;
        this.diagnosis = new Diagnosis(servers, kafka);
        this.making = new Making(diagnosis);
    }

    private void connect() throws Unreachable {
        consumer = consumer == null ? making.make(this::reader) : consumer;
        admin = making.make(() -> Admin.create(asking(shared())));
    }

    private KafkaConsumer<byte[], byte[]> reader() {
        Map<String, Object> reading = new HashMap<>();
        reading.put("enable.auto.commit", false);
        reading.put("auto.offset.reset", "earliest"); // when retention overtook us: old is ignored
        reading.put("allow.auto.create.topics", false);
        reading.put("reconnect.backoff.max.ms", 1_000);
        reading.putAll(shared());
        return new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Writer writer() {
        return new Writer(shared(), prefix, patience, diagnosis, written);
    }

    private Map<String, Object> shared() {
        Map<String, Object> shared = new HashMap<>();
        shared.put("bootstrap.servers", servers);
        // To load what it is made of takes a new process 0.15 s of the 1.1 s that all these clients take it.
        shared.put("enable.metrics.push", false);
        shared.putAll(kafka);
        return shared;
    }

    private Map<String, Object> asking(Map<String, Object> shared) {
        Map<String, Object> asking = new HashMap<>();
        int patienceMs = (int) patience.toMillis();
        // While no broker answers, it would begin anew hundreds of times a second, and say so each time (4.3.1).
        asking.put("metadata.recovery.strategy", "none");
        asking.putAll(shared);
        asking.put("reconnect.backoff.max.ms", 1_000);
        asking.put("default.api.timeout.ms", patienceMs / 2); // the next beat asks again
        asking.put("request.timeout.ms", patienceMs / 4);
        return asking;
    }

    /** Serves a member: follows its group's partitions from where they end now. */
    public synchronized void open(String group, Inbox itsMember) throws Unreachable {
        inbox = itsMember;
        follow(group);
    }

    /**
     * Does now what would take {@link #open} a second in a new process. It tells no trouble: {@code open} does.
     * If there is a member by now, it does nothing.
     */
    public synchronized void prepare(String group) {
        if (inbox != null) {
            return;
        }
        try {
            follow(group);
            writer.prepare();
        } catch (Unreachable | KafkaException e) {
            // there may never be a member
        }
    }

    /** Gives up what was prepared, unless there is a member by now; one that comes later begins anew. */
    public synchronized void forgo() {
        if (inbox == null) {
            forget();
        }
    }

    private void forget() {
        close(Duration.ZERO);
        writer = null;
        consumer = null;
        admin = null;
    }

    private void follow(String group) throws Unreachable {
        try {
            find(group);
            opening.works();
        } catch (Unreachable e) {
            opening.fails();
            if (opening.isTooLong()) {
                forget();
            }
            throw e;
        }
    }

    private void find(String group) throws Unreachable {
        if (admin == null) {
            connect();
        }
        int partitions = partitions();
        partition = Utils.toPositive(Utils.murmur2(group.getBytes(StandardCharsets.UTF_8))) % partitions;
        followed.clear();
        followed.put(new TopicPartition(prefix + Topic.ASSIGNMENTS.suffix(), partition), Topic.ASSIGNMENTS);
        followed.put(new TopicPartition(prefix + Topic.RELEASES.suffix(), partition), Topic.RELEASES);
        try {
            places.clear();
            places.putAll(offsets(ask().all().get(CONNECT.toMillis(), TimeUnit.MILLISECONDS)));
            readOn(consumer);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            throw new Unreachable("where the log ends is not known: " + diagnosis.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unreachable("interrupted");
        }
        writer = writer == null ? making.make(this::writer) : writer;
    }

    private void readOn(KafkaConsumer<byte[], byte[]> reader) {
        reader.assign(places.keySet());
        places.forEach(reader::seek);
    }

    /** Writes a record to the group's partition, without waiting. */
    public void send(Send message) {
        synchronized (writing) {
            writer.send(partition, message, inbox);
        }
    }

    /** Waits for records, and hands them to the inbox. */
    public void poll(long timeoutMs) {
        try {
            renew();
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(timeoutMs))) {
                TopicPartition place = new TopicPartition(record.topic(), record.partition());
                places.put(place, record.offset() + 1);
                read.works();
                inbox.received(followed.get(place), record.key(), record.value());
            }
            lookForEnd();
        } catch (InterruptException e) {
            throw e; // whoever interrupts the thread wants it to end; it would ask again and again without a rest
        } catch (KafkaException e) {
            read.fails();
            inbox.trouble(diagnosis.of(e));
            pause(timeoutMs);
        }
    }

    /** Replaces what works no more. If no host is found, what there is will do. */
    private void renew() {
        if (!asking && asked.isTooLong()) {
            Admin former = admin;
            admin = Admin.create(asking(shared()));
            former.close(Duration.ZERO);
        }
        if (read.isTooLong()) {
            KafkaConsumer<byte[], byte[]> former = consumer;
            consumer = reader();
            readOn(consumer);
            former.close(CloseOptions.timeout(Duration.ZERO));
        }
        if (written.isTooLong()) {
            Writer former = writer;
            Writer next = writer();
            synchronized (writing) {
                writer = next;
            }
            former.close(Duration.ZERO);
        }
    }

    /** Finds out where the log ends; {@code caughtUp(at)} follows when that far has been read. */
    public void findEnd(long at) {
        if (asking) {
            return; // it has answered nobody for a while; the next beat asks again
        }
        asking = true;
        ask().all().whenComplete((found, error) -> {
            asking = false;
            if (error == null) {
                asked.works();
                end = new End(at, offsets(found));
            } else {
                asked.fails();
                inbox.trouble("where the log ends is not known: " + diagnosis.of(error));
            }
        });
    }

    /** Sends what is still to be sent, and disconnects. */
    public synchronized void close(Duration timeout) {
        if (writer != null) {
            writer.close(timeout);
        }
        if (consumer != null) {
            consumer.close(CloseOptions.timeout(timeout)); // of its own accord it waits for half a minute
        }
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }

    private int partitions() throws Unreachable {
        List<Integer> counts = new ArrayList<>();
        for (Topic topic : Topic.values()) {
            String name = prefix + topic.suffix();
            try {
                List<?> found = consumer.partitionsFor(name, CONNECT);
                if (found == null || found.isEmpty()) {
                    throw new Unreachable("topic " + name + " does not exist on Kafka at " + servers + ": run `trimtab topics init`,"
                            + " or give the controller's prefix");
                }
                counts.add(found.size());
            } catch (KafkaException e) {
                throw new Unreachable(diagnosis.of(e));
            }
        }
        if (counts.stream().distinct().count() > 1) {
            throw new Unreachable("the topics " + prefix + "* differ in their numbers of partitions: "
                    + counts + "; run `trimtab topics init`");
        }
        return counts.get(0);
    }

    private ListOffsetsResult ask() {
        Map<TopicPartition, OffsetSpec> query = new HashMap<>();
        followed.keySet().forEach(it -> query.put(it, OffsetSpec.latest()));
        return admin.listOffsets(query);
    }

    private void lookForEnd() {
        End aim = end;
        if (aim == null) {
            return;
        }
        for (Map.Entry<TopicPartition, Long> it : aim.offsets.entrySet()) {
            if (consumer.position(it.getKey(), CONNECT) < it.getValue()) {
                read.fails();
                return;
            }
        }
        end = null;
        read.works();
        inbox.caughtUp(aim.at);
    }

    private static Map<TopicPartition, Long> offsets(
            Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> found) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        found.forEach((place, info) -> offsets.put(place, info.offset()));
        return offsets;
    }

    /** An error that comes at once, again and again, must not spin. */
    private static void pause(long timeoutMs) {
        try {
            Thread.sleep(timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where the log ended, and when that was asked. */
    private static final class End {
        final long at;
        final Map<TopicPartition, Long> offsets;

        End(long at, Map<TopicPartition, Long> offsets) {
            this.at = at;
            this.offsets = offsets;
        }
    }
}
