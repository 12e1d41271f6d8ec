package trimtab.transport;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
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
