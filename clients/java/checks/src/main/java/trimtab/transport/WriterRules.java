package trimtab.transport;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import trimtab.protocol.Topic;
import trimtab.session.Action;
import trimtab.session.MemberSession;
import trimtab.session.Profile;

/** Has a writer meet an Error with each record, and says on stdout how many of two its inbox hears of. */
public final class WriterRules {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private WriterRules() {}

    public static void main(String[] args) throws InterruptedException {
        Map<String, Object> kafka =
                Map.of("bootstrap.servers", "127.0.0.1:1", "interceptor.classes", Failing.class.getName());
        Writer writer = writer(kafka);
        Action.Send join = join();
        Heard heard = new Heard();
        writer.send(0, join, heard);
        writer.send(0, join, heard);
        heard.both.await(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        System.out.println(2 - heard.both.getCount());
        System.exit(0);
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
