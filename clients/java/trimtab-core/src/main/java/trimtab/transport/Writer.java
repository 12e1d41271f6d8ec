package trimtab.transport;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import trimtab.protocol.Topic;
import trimtab.session.Action.Send;

/**
 * Writes a member's records, in order, by a thread of its own.
 *
 * <p>{@code KafkaProducer.send} may wait for metadata; nothing that watches the time may wait with it.
 */
final class Writer {
    private static final String LATE = "Kafka has not taken it in time";

    private final KafkaProducer<byte[], byte[]> producer;
    private final BlockingQueue<Runnable> sends = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "trimtab-writer");
    private final String prefix;
    private final long patienceNanos;
    private final Diagnosis diagnosis;
    private final Vain written;
    /** From then on nothing is written; what its producer says of that is no news. */
    private volatile boolean closing;
    private volatile boolean closed;

    Writer(Map<String, Object> kafka, String prefix, Duration patience, Diagnosis diagnosis, Vain written) {
        this.diagnosis = diagnosis;
        this.written = written;
        this.prefix = prefix;
        this.patienceNanos = patience.toNanos();
        Map<String, Object> config = new HashMap<>();
        int patienceMs = (int) patience.toMillis();
        config.put("acks", "all");
        config.put("linger.ms", 0); // a release is on the critical path of a hand-over
        config.put("enable.idempotence", true); // beats and releases stay in order across retries
        config.put("max.request.size", 1024 * 1024 + 64 * 1024); // the largest beat, and its key
        // What takes longer than the session to arrive is worth nothing.
        config.put("delivery.timeout.ms", patienceMs);
        config.put("request.timeout.ms", Math.max(1, patienceMs / 2));
        config.put("max.block.ms", patienceMs);
        config.put("reconnect.backoff.max.ms", 1_000);
        config.putAll(kafka);
        Making.fit(config);
        producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends a record; the inbox hears what becomes of it. */
    void send(int partition, Send message, Inbox inbox) {
        long asked = System.nanoTime();
        sends.add(() -> {
            String topic = prefix + message.topic.suffix();
            if (System.nanoTime() - asked < patienceNanos) {
                write(topic, partition, message, inbox);
            } else { // one that waits for Kafka holds up the others
                fail(message, inbox, topic, LATE);
            }
        });
    }

    /** Connects, so that the first record need not wait for that. */
    void prepare() {
        sends.add(() -> {
            try {
                producer.partitionsFor(prefix + Topic.MEMBERS.suffix());
            } catch (Throwable e) {
                // the first record has the same trouble, and says so
            }
        });
    }

    /** Sends what is still to be sent, and disconnects. */
    void close(Duration timeout) {
        closing = timeout.isZero();
        sends.add(() -> closed = true);
        if (!timeout.isZero()) {
            try {
                thread.join(timeout.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        producer.close(timeout);
    }

    private void run() {
        while (!closed) {
            try {
                sends.take().run();
            } catch (InterruptedException e) {
                // nobody ends it so: without it a member would beat no more, and not know why
            }
        }
    }

    private void write(String topic, int partition, Send message, Inbox inbox) {
        written.fails(); // until something is delivered: one whose own thread is dead says nothing
        try {
            byte[] key = message.key.getBytes(StandardCharsets.UTF_8);
            byte[] value = message.record.getBytes(StandardCharsets.UTF_8);
            producer.send(
                    new ProducerRecord<>(topic, partition, key, value),
                    (metadata, error) -> {
                        if (error == null) {
                            written.works();
                            inbox.delivered(message.ticket);
                        } else {
                            fail(message, inbox, topic, diagnosis.of(error));
                        }
                    });
        } catch (Throwable e) { // also an Error, of an interceptor or for want of memory: the next one is sent
            fail(message, inbox, topic, e instanceof KafkaException ? diagnosis.of(e) : e.toString());
        }
    }

    private void fail(Send message, Inbox inbox, String topic, String reason) {
        written.fails();
        inbox.undelivered(message.ticket, topic + ": " + (closing ? LATE : reason));
    }
}
