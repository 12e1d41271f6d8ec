package trimtab.transport;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import trimtab.checks.Waiting;
import trimtab.protocol.Topic;
import trimtab.session.Action;
import trimtab.session.MemberSession;
import trimtab.session.Profile;

/**
 * Plays what a member's writer does in trouble, and how verdicts are read, for tests of both.
 *
 * <p>A line on stdin names the trouble, as the methods do; each is answered by a line.
 */
public final class WriterRules {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final TopicPartition LEADERLESS = new TopicPartition("trimtab.brokers", 0);
    private static final TopicPartition LED = new TopicPartition("trimtab.brokers", 1);

    private WriterRules() {}

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(answer(line));
        }
        System.exit(0);
    }

    private static String answer(String trouble) throws Exception {
        switch (trouble) {
            case "failing":
                return failing();
            case "dead":
                return dead();
            case "slow-requests":
                return slowRequests();
            case "leaderless":
                return leaderless();
            case "grown":
                return grown();
            case "reports":
                return reports();
            case "unmade":
                return unmade();
            case "cut":
                VerdictLink link = new VerdictLink("127.0.0.1:1", "trimtab.", Map.of());
                return link.reading().get("auto.offset.reset").toString();
            default:
                throw new IllegalArgumentException(trouble);
        }
    }

    /** Of how many of two records an inbox hears, where each meets an Error. */
    private static String failing() throws InterruptedException {
        Map<String, Object> kafka =
                Map.of("bootstrap.servers", "127.0.0.1:1", "interceptor.classes", Failing.class.getName());
        Writer writer = writer(kafka);
        Action.Send join = join();
        Heard heard = new Heard();
        writer.send(0, join, heard);
        writer.send(0, join, heard);
        heard.both.await(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        return Long.toString(2 - heard.both.getCount());
    }

    /** Whether it counts as tried in vain what is sent, and not answered at all. */
    private static String dead() throws Exception {
        Map<String, Object> kafka = Map.of("bootstrap.servers", "127.0.0.1:1");
        Vain written = new Vain();
        Writer writer = new Writer(kafka, "trimtab.", Duration.ofMinutes(1), new Diagnosis("127.0.0.1:1", kafka), written);
        boolean atFirst = written.isVain();
        writer.send(0, join(), new Heard());
        Waiting.await(written::isVain);
        return atFirst + " " + written.isVain();
    }

    /** What is read where one partition has no leader, and whether that is all there is; and so when it has one again. */
    private static String leaderless() throws Exception {
        Played played = new Played();
        VerdictLink link = openedBy(played);
        played.addRecord(new ConsumerRecord<>(LED.topic(), LED.partition(), 0, new byte[0], null));
        String before = readOf(link);
        played.hasLeader = true;
        played.addRecord(new ConsumerRecord<>(LEADERLESS.topic(), LEADERLESS.partition(), 0, new byte[0], null));
        return before + ", " + readOf(link);
    }

    /** What is read where the topic got another partition since, and whether that is all there was. */
    private static String grown() throws Exception {
        Played played = new Played();
        VerdictLink link = openedBy(played);
        played.hasLeader = true;
        List<TopicPartition> places = List.of(LED, LEADERLESS);
        played.updatePartitions(LED.topic(), List.of(0, 1, 2).stream()
                .map(it -> Played.info(new TopicPartition(LED.topic(), it), new Node(1, "kafka-1", 9092)))
                .collect(Collectors.toList()));
        places.forEach(it -> played.addRecord(new ConsumerRecord<>(it.topic(), it.partition(), 0, new byte[0], null)));
        return readOf(link);
    }

    private static VerdictLink openedBy(Played played) throws Exception {
        VerdictLink link = new VerdictLink("127.0.0.1:1", "trimtab.", Map.of());
        set(link, "consumer", played);
        set(link, "producer", new MockProducer<byte[], byte[]>());
        link.open();
        return link;
    }

    private static String readOf(VerdictLink link) {
        AtomicInteger read = new AtomicInteger();
        for (int turn = 0; turn < 20; turn++) {
            link.poll(Duration.ZERO, (key, value, at) -> read.incrementAndGet());
        }
        return read + " " + link.hasCaughtUp();
    }

    /** Whether a report counts as in vain of which nothing is heard; and whether there is another producer after a minute. */
    private static String reports() throws Exception {
        VerdictLink link = new VerdictLink("127.0.0.1:1", "trimtab.", Map.of());
        MockProducer<byte[], byte[]> deaf = new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        set(link, "consumer", new Played());
        set(link, "producer", deaf);
        link.report("c", "{}");
        Vain written = (Vain) fieldOf(link, "written").get(link);
        boolean isVain = written.isVain();
        set(written, "since", System.nanoTime() - Duration.ofMinutes(2).toNanos());
        link.report("c", "{}"); // by another producer, of which nothing is heard either
        return isVain + " " + deaf.closed() + " " + deaf.history().size();
    }

    /** How many reports a producer is given of which nothing is heard, where no other one can be made; and what is said. */
    private static String unmade() throws Exception {
        VerdictLink link = new VerdictLink("127.0.0.1:1", "trimtab.", Map.of("compression.type", "played"));
        MockProducer<byte[], byte[]> deaf = new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        set(link, "producer", deaf);
        link.report("c", "{}");
        set(fieldOf(link, "written").get(link), "since", System.nanoTime() - Duration.ofMinutes(2).toNanos());
        link.report("c", "{}");
        return deaf.closed() + " " + deaf.history().size() + " " + link.refusal().contains("played");
    }

    private static Field fieldOf(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static void set(Object owner, String name, Object value) throws ReflectiveOperationException {
        fieldOf(owner, name).set(owner, value);
    }

    /** Whether there is a writer where a request may take longer than a record. */
    private static String slowRequests() {
        writer(Map.of("bootstrap.servers", "127.0.0.1:1", "request.timeout.ms", "30000", "linger.ms", 5));
        return "made";
    }

    /** A member's writer, whose Kafka does not answer. */
    public static Object toNobody() {
        return writer(Map.of("bootstrap.servers", "127.0.0.1:1"));
    }

    private static Writer writer(Map<String, Object> kafka) {
        return new Writer(kafka, "trimtab.", PATIENCE, new Diagnosis("127.0.0.1:1", kafka), new Vain());
    }

    private static Action.Send join() {
        Profile profile = new Profile("billing", "m", List.of("orders"), 10_000, 60_000, null, null);
        MemberSession session = new MemberSession(profile, "1767225600000-00000001", 0);
        return (Action.Send) session.tick(0).stream().filter(it -> it instanceof Action.Send).findFirst().orElseThrow();
    }

    /** Fails as one does whose library is not there. */
    public static final class Failing implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            throw new NoClassDefFoundError("played");
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    /** A client of a Kafka where one partition has no leader at first. */
    private static final class Played extends MockConsumer<byte[], byte[]> {
        private boolean hasLeader;

        Played() {
            super("earliest");
            updatePartitions(LED.topic(), List.of(info(LEADERLESS, null), info(LED, new Node(1, "kafka-1", 9092))));
            updateBeginningOffsets(Map.of(LED, 0L, LEADERLESS, 0L));
        }

        private static PartitionInfo info(TopicPartition place, Node leader) {
            return new PartitionInfo(place.topic(), place.partition(), leader, new Node[0], new Node[0]);
        }

        @Override
        public synchronized long position(TopicPartition place, Duration patience) {
            demandLeader(List.of(place));
            return super.position(place, patience);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> places, Duration patience) {
            demandLeader(places);
            return places.stream().collect(Collectors.toMap(it -> it, it -> 1L));
        }

        private void demandLeader(Collection<TopicPartition> places) {
            if (!hasLeader && places.contains(LEADERLESS)) {
                throw new TimeoutException("played");
            }
        }
    }

    private static final class Heard implements Inbox {
        private final CountDownLatch both = new CountDownLatch(2);

        @Override
        public void received(Topic topic, byte[] key, byte[] value) {}

        @Override
        public void delivered(long ticket) {}

        @Override
        public void undelivered(long ticket, String reason) {
            both.countDown();
        }

        @Override
        public void caughtUp(long at) {}

        @Override
        public void trouble(String reason) {}
    }
}
