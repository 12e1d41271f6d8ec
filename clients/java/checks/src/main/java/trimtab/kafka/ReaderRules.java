package trimtab.kafka;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import trimtab.Grant;
import trimtab.protocol.Queue;

/**
 * Plays what a consumer's reader does in trouble, with a played client, for tests of it.
 *
 * <p>A line on stdin names the trouble, as the methods do; each is answered by a line.
 */
public final class ReaderRules {
    private static final TopicPartition LEADERLESS = new TopicPartition("orders", 0);
    private static final TopicPartition LED = new TopicPartition("orders", 1);
    private static final TopicPartition BARRED = new TopicPartition("visits", 0);
    private static final long SHORT_MS = 20;
    private static final int ROUNDS = 30;

    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final Intake intake = new Intake(false);
    private final Played client = new Played();

    private ReaderRules() {}

    public static void main(String[] args) throws Exception {
        System.setProperty("trimtab.checks.log", "true");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(new ReaderRules().answer(line));
        }
    }

    private String answer(String trouble) throws Exception {
        String[] words = trouble.split(" ");
        switch (words[0]) {
            case "leaderless":
                return leaderless();
            case "stray":
                return stray(Long.parseLong(words[1]), words.length == 2 ? null : new OffsetAndMetadata(
                        Long.parseLong(words[2]), Optional.of(Integer.valueOf(words[3])), ""));
            case "strayed-later":
                return strayedLater();
            case "broken":
                return broken(new NoClassDefFoundError("played"));
            case "broken-checked":
                return broken(new IOException("played"));
            case "barred":
                return barred();
            case "refused":
                return refused();
            case "no-host":
                return noHost();
            case "subscribed":
                return subscribed();
            default:
                throw new IllegalArgumentException(trouble);
        }
    }

    /**
     * How many messages are read of a queue beside one of which Kafka does not say where it begins; how often that
     * is asked, and fetched.
     */
    private String leaderless() {
        KafkaReader<String, String> reader = strayed(0);
        client.addRecord(new ConsumerRecord<>(LED.topic(), LED.partition(), 0, "", ""));
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            read += reader.read(SHORT_MS).count();
        }
        return read + " " + client.asked + " " + !client.paused().contains(LEADERLESS);
    }

    /** Where a queue is read on whose offset is gone, while of another one it is not known where it begins. */
    private String strayedLater() {
        KafkaReader<String, String> reader = strayed(7);
        reader.read(SHORT_MS); // which asks in vain
        client.setPollException(new OffsetOutOfRangeException(Map.of(LED, 7L)));
        reader.read(SHORT_MS);
        reader.read(SHORT_MS);
        return Long.toString(client.position(LED));
    }

    /** Where a queue is read on whose offset is gone, and what is said of that; Kafka may tell where it was cut. */
    private String stray(long from, OffsetAndMetadata cut) {
        begin(1, from);
        KafkaReader<String, String> reader = reader("127.0.0.1:1", new ConsumerListener() {});
        reader.read(SHORT_MS);
        client.setPollException(cut == null
                ? new OffsetOutOfRangeException(Map.of(LED, from))
                : new LogTruncationException(Map.of(LED, from), Map.of(LED, cut)));
        reader.read(SHORT_MS);
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        reader.read(SHORT_MS);
        System.setErr(before);
        return client.position(LED) + " " + said.toString(StandardCharsets.UTF_8).trim();
    }

    /** A reader of two queues: the offset of one is gone, and Kafka does not say where it begins. */
    private KafkaReader<String, String> strayed(long led) {
        begin(0, 100);
        begin(1, led);
        KafkaReader<String, String> reader = reader("127.0.0.1:1", new ConsumerListener() {});
        reader.read(SHORT_MS);
        client.setPollException(new OffsetOutOfRangeException(Map.of(LEADERLESS, 100L)));
        reader.read(SHORT_MS);
        return reader;
    }

    /** Where the client goes on that has lost a message to what its deserializer throws. */
    private String broken(Throwable thrown) {
        begin(1, 0);
        KafkaReader<String, String> reader = reader("127.0.0.1:1", new ConsumerListener() {});
        reader.read(SHORT_MS);
        client.addRecord(new ConsumerRecord<>(LED.topic(), LED.partition(), 0, "", ""));
        client.breaks = thrown;
        try {
            reader.read(SHORT_MS);
            return "read";
        } catch (Throwable e) {
            reader.read(SHORT_MS);
            return e.getMessage() + " " + client.position(LED);
        }
    }

    /**
     * How many messages are read of a queue beside one that may not be read, and how often Kafka says that; and how
     * many of that one when it may be read, and some time has passed.
     */
    private String barred() throws ReflectiveOperationException {
        intake.begin(new Grant(new Queue(BARRED.topic(), "", BARRED.partition()), 1, null, null), 0, 0L);
        begin(1, 0);
        client.bars = true;
        KafkaReader<String, String> reader = reader("127.0.0.1:1", new ConsumerListener() {});
        reader.read(SHORT_MS);
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            client.addRecord(new ConsumerRecord<>(LED.topic(), LED.partition(), round, "", ""));
            read += reader.read(SHORT_MS).count();
        }
        client.bars = false;
        forgetTime(reader);
        client.addRecord(new ConsumerRecord<>(BARRED.topic(), BARRED.partition(), 0, "", ""));
        return read + " " + client.barred + " " + reader.read(SHORT_MS).count();
    }

    /** As if all that is barred had been for long enough. */
    @SuppressWarnings("unchecked")
    private static void forgetTime(KafkaReader<?, ?> reader) throws ReflectiveOperationException {
        Field barred = KafkaReader.class.getDeclaredField("barred");
        barred.setAccessible(true);
        ((Map<String, Long>) barred.get(reader)).replaceAll((topic, until) -> Long.MIN_VALUE);
    }

    /** How often a listener that fails has been told by whoever reads, and in the end; and whether somebody heard. */
    private String refused() throws InterruptedException {
        begin(1, 0);
        Telling telling = telling("127.0.0.1:1", new ConsumerListener() {
            @Override
            public void onTrouble(String text) {
                told.incrementAndGet();
                throw new IllegalStateException("played");
            }
        });
        KafkaReader<String, String> reader = reader("127.0.0.1:1", telling);
        client.setPollException(new ClusterAuthorizationException("played"));
        reader.read(SHORT_MS);
        int before = told.get();
        AtomicInteger failed = new AtomicInteger();
        telling.start(error -> failed.incrementAndGet());
        telling.finish(Duration.ofMinutes(1));
        return before + " " + told + " " + failed;
    }

    /** How many clients are made while no host is found. */
    private String noHost() {
        KafkaReader<String, String> reader = reader("no.host.invalid:9092", new ConsumerListener() {});
        for (int round = 0; round < ROUNDS; round++) {
            reader.read(SHORT_MS);
        }
        return made.toString();
    }

    /** Of which topics the leaders are asked for, before others are subscribed and after. */
    private String subscribed() {
        KafkaReader<String, String> reader = reader("127.0.0.1:1", new ConsumerListener() {});
        reader.read(SHORT_MS);
        reader.follow(List.of("visits"));
        reader.read(SHORT_MS);
        return String.join(" ", client.warm);
    }

    private void begin(int number, long at) {
        intake.begin(new Grant(new Queue("orders", "", number), 1, null, null), at, at);
    }

    private KafkaReader<String, String> reader(String servers, ConsumerListener listener) {
        return reader(servers, telling(servers, listener));
    }

    private KafkaReader<String, String> reader(String servers, Telling telling) {
        return new KafkaReader<>(options(servers), intake, telling, () -> {
            made.incrementAndGet();
            return client;
        });
    }

    private static Telling telling(String servers, ConsumerListener listener) {
        return new Telling("m", options(servers).listener(listener));
    }

    private static ConsumerOptions options(String servers) {
        return ConsumerOptions.of(servers, "billing", "orders");
    }

    /** A client of a Kafka where one queue has no leader. */
    private static final class Played extends MockConsumer<String, String> {
        private int asked;
        private Throwable breaks;
        private boolean bars;
        private int barred;
        private final List<String> warm = new ArrayList<>();

        Played() {
            super("none");
        }

        @Override
        public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
            if (bars && !paused().contains(BARRED)) {
                barred++;
                throw new TopicAuthorizationException(Set.of(BARRED.topic()));
            }
            ConsumerRecords<String, String> lost = super.poll(timeout);
            if (breaks != null) {
                Throwable thrown = breaks;
                breaks = null;
                Played.<RuntimeException>sneak(thrown);
            }
            return lost;
        }

        /** Throws it where nobody has declared that, as programs in Kotlin do. */
        @SuppressWarnings("unchecked")
        private static <E extends Throwable> void sneak(Throwable thrown) throws E {
            throw (E) thrown;
        }

        @Override
        public synchronized Map<TopicPartition, Long> beginningOffsets(
                Collection<TopicPartition> places, Duration timeout) {
            asked++;
            if (places.contains(LEADERLESS)) {
                throw new TimeoutException("played");
            }
            return Map.of(LED, 0L);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> places, Duration timeout) {
            return Map.of(LED, 5L);
        }

        @Override
        public synchronized List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
            warm.add(topic);
            return List.of();
        }
    }
}
