package trimtab.rocketmq.broker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import trimtab.protocol.JsonReader;
import trimtab.protocol.JsonWriter;
import trimtab.transport.Diagnosis;
import trimtab.transport.Making;
import trimtab.transport.Vain;

/**
 * Copies what clients say to their broker to Kafka, by a thread of its own.
 *
 * <p>Of a heartbeat only the groups that follow the controller are copied. What finds no room is dropped:
 * a heartbeat comes again in 30 s, and a client whose end was dropped is found to be silent. Its one rule:
 * whoever says something here never waits.
 */
final class Copies {
    /** Signs a record: which broker heard it, by its name and its address, as a slave has its master's name. */
    static final String BY = "broker";
    /** Marks a record that says that a broker has lost a client; the controller takes nothing from it. */
    static final String LOST = "lost";
    /** Marks a record by which a hook ends a client that every broker has lost. */
    static final String GONE = "gone";
    /** Marks a heartbeat that is there again behind the client's end; it is not written a third time. */
    static final String AGAIN = "again";
    /** What two thousand clients say in a minute; each is some hundred bytes. */
    private static final int ROOM = 4_096;
    /** Of that: whoever can reach the broker may send heartbeats as long as its frames, 16 MB. */
    private static final long ROOM_BYTES = 64L * 1024 * 1024;
    /**
     * A client that lives has said so again by then. While Kafka is away all this waits here; copied minutes later,
     * heartbeats would make members of clients that have died meanwhile, and ends would end clients that have come back.
     */
    private static final long FRESH_NS = 30_000_000_000L;
    private static final long RETRY_MS = 1_000;
    /** With the ten seconds of a delivery, and the two in which a send may wait, less than the limit of {@link Earshot}. */
    private static final long GONE_MS = 2_500;

    private final HookSettings settings;
    private final Troubles troubles;
    private final LongSupplier clock;
    private final Diagnosis diagnosis;
    private final String sign;
    private final Header by;
    private final BlockingQueue<Task> waiting = new ArrayBlockingQueue<>(ROOM);
    private final AtomicLong bytes = new AtomicLong();
    private KafkaProducer<byte[], byte[]> producer;
    /** One that is refused while it asks for its id never asks again (kafka-clients 4.3.1). */
    private final Vain copied = new Vain();

    Copies(HookSettings settings, String sign, Troubles troubles) {
        this(settings, sign, troubles, System::nanoTime);
    }

    Copies(HookSettings settings, String sign, Troubles troubles, LongSupplier clock) {
        this.settings = settings;
        this.troubles = troubles;
        this.clock = clock;
        this.diagnosis = new Diagnosis(settings.servers, settings.kafka);
        this.sign = sign;
        this.by = new RecordHeader(BY, sign.getBytes(StandardCharsets.UTF_8));
        Turns.begin("trimtab-copies", this::turn, troubles, "what a client says was not copied");
    }

    /** A client has sent a heartbeat, or two processes under its id. */
    void heartbeat(byte[] body, boolean areSeveral) {
        Runnable copy = whileFresh(() -> copy(body, areSeveral));
        if (bytes.addAndGet(body.length) > ROOM_BYTES || !waiting.offer(new Task(copy, body.length))) {
            bytes.addAndGet(-body.length);
            tellOfNoRoom();
        }
    }

    /** Whether this hook has signed a record. */
    boolean hasSigned(String itsSign) {
        return sign.equals(itsSign);
    }

    /** What a client has said, as it was copied before: it stands before the client's end, and is to stand behind it. */
    void again(String client, byte[] copied) {
        Header mark = new RecordHeader(AGAIN, by.value());
        offer(whileFresh(() -> send(client, copied, by, mark)));
    }

    /** A client leaves a group. */
    void unregister(String client, String group) {
        offer(whileFresh(() -> send(client, said("clientID", client, "consumerGroup", group), by)));
    }

    /**
     * A client of a group was lost by every broker. If Kafka takes it too late for {@link Earshot#WRITTEN_MS}, it is
     * not written: a client that has come back meanwhile would stand before it.
     */
    void gone(String client, String group) {
        Header mark = new RecordHeader(GONE, by.value());
        long until = System.currentTimeMillis() + GONE_MS;
        offer(() -> {
            if (System.currentTimeMillis() <= until) {
                send(client, said("clientID", client, "consumerGroup", group), by, mark);
            }
        });
    }

    /** This broker has lost a client of a group. */
    void lost(String client, String group) {
        Header mark = new RecordHeader(LOST, group.getBytes(StandardCharsets.UTF_8));
        offer(whileFresh(() -> send(client, said("clientID", client), by, mark)));
    }

    /** What is copied only if that comes so soon that it still says whether its client lives. */
    private Runnable whileFresh(Runnable copy) {
        long heardAt = clock.getAsLong();
        return () -> {
            if (clock.getAsLong() - heardAt <= FRESH_NS) {
                copy.run();
            }
        };
    }

    void offer(Runnable copy) {
        if (!waiting.offer(new Task(copy, 0))) {
            tellOfNoRoom();
        }
    }

    private void tellOfNoRoom() {
        troubles.tell("Kafka is too slow", "what a client says is dropped");
    }

    private void turn() throws InterruptedException {
        Task next = waiting.take();
        try {
            connect();
            next.copy.run();
        } finally {
            bytes.addAndGet(-next.length);
        }
    }

    private void connect() throws InterruptedException {
        if (producer != null && copied.isTooLong()) {
            producer.close(Duration.ZERO);
            producer = null;
        }
        while (producer == null) {
            Map<String, Object> config = new HashMap<>();
            config.put("bootstrap.servers", settings.servers);
            config.put("linger.ms", 0); // a client that is gone leaves its queues
            config.put("delivery.timeout.ms", 10_000); // older heartbeats are worth nothing
            config.put("request.timeout.ms", 5_000);
            config.put("max.block.ms", 2_000);
            config.put("reconnect.backoff.max.ms", 1_000);
            config.putAll(settings.kafka);
            Making.fit(config);
            try {
                producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
            } catch (KafkaException e) {
                troubles.tell("Kafka cannot be reached", diagnosis.of(e)); // a file that is missing may come
                Thread.sleep(RETRY_MS);
            }
        }
    }

    /** Copies the groups that follow the controller: the very same bytes, if there is no more to say. */
    private void copy(byte[] body, boolean areSeveral) {
        Map<?, ?> heartbeat = (Map<?, ?>) JsonReader.read(new String(body, StandardCharsets.UTF_8));
        List<Object> ours = new ArrayList<>();
        Object consumers = heartbeat.get("consumerDataSet");
        int all = 0;
        if (consumers instanceof List) {
            for (Object each : (List<?>) consumers) {
                Object group = each instanceof Map ? ((Map<?, ?>) each).get("groupName") : null;
                all++;
                if (group instanceof String && settings.follows((String) group)) {
                    ours.add(each);
                }
            }
        }
        if (ours.isEmpty()) {
            return;
        }
        String client = String.valueOf(heartbeat.get("clientID"));
        if (!Room.areNames(client)) {
            troubles.tell("a client's name is too long for the controller", client.length() + " characters");
            return;
        }
        byte[] value = body;
        if (ours.size() < all || areSeveral) {
            Map<Object, Object> rest = new LinkedHashMap<>(heartbeat);
            rest.put("consumerDataSet", ours);
            rest.put("trimtabDoubled", areSeveral ? true : null);
            value = JsonWriter.write(rest).getBytes(StandardCharsets.UTF_8);
        }
        send(client, value, by);
    }

    private void send(String client, byte[] value, Header... headers) {
        byte[] key = client.getBytes(StandardCharsets.UTF_8);
        String topic = settings.prefix + "rocketmq";
        copied.fails(); // until something is taken: one whose own thread is dead says nothing
        producer.send(
                new ProducerRecord<>(topic, null, null, key, value, List.of(headers)),
                (place, error) -> {
                    if (error == null) {
                        copied.works();
                    } else {
                        copied.fails();
                        troubles.tell("what a client says did not reach Kafka", "topic " + topic + ": " + diagnosis.of(error));
                    }
                });
    }

    private static byte[] said(String... fields) {
        Map<String, Object> said = new LinkedHashMap<>();
        for (int at = 0; at < fields.length; at += 2) {
            said.put(fields[at], fields[at + 1]);
        }
        return JsonWriter.write(said).getBytes(StandardCharsets.UTF_8);
    }

    /** What is to be copied, and how much of the room it takes. */
    private static final class Task {
        final Runnable copy;
        final int length;

        Task(Runnable copy, int length) {
            this.copy = copy;
            this.length = length;
        }
    }
}
