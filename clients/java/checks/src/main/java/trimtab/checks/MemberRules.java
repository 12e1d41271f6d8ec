package trimtab.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import trimtab.Grant;
import trimtab.Member;
import trimtab.MemberListener;
import trimtab.MemberOptions;
import trimtab.Waits;
import trimtab.protocol.Assignment;
import trimtab.protocol.Release;
import trimtab.protocol.Topic;
import trimtab.protocol.UndecodableRecord;
import trimtab.session.Incarnation;
import trimtab.session.LossReason;
import trimtab.session.MemberSession;
import trimtab.session.Profile;
import trimtab.transport.Diagnosis;
import trimtab.transport.WriterRules;

/**
 * Says what a member does without a server, for tests of it.
 *
 * <p>A line is {@code life} (answers the name of one), {@code forever} (answers how many milliseconds that is),
 * {@code unconnected} (a member fails that has not reached Kafka; answers how it ends, and whether at once),
 * {@code unspeakable} (a listener throws what cannot be logged; answers how its member ends, and what it hears),
 * {@code expired} (what is said of a certificate that is),
 * {@code assigned-late} (what a listener hears of a queue that is lost before it heard that it has come),
 * {@code revoked-late} (what a listener hears of a queue that is lost before it heard that it is to go),
 * {@code named-apart} (how much a member has when another life is told under its name, and when it is told itself),
 * {@code assignment RECORD} or {@code release RECORD}, in Base64 (answers whether it is read).
 */
public final class MemberRules {
    private static final Duration AT_ONCE = Duration.ofSeconds(8);
    private static final long HOUR_MS = 3_600_000;
    private static final byte[] KEY = "billing/m".getBytes(StandardCharsets.UTF_8);
    private static final String LIFE = "1767225600000-00000001";
    private static final String YOUNGER = "1767225600000-00000002";
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private MemberRules() {}

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(answer(line.split(" ", 2)));
        }
        System.exit(0);
    }

    private static String answer(String[] asked) throws Exception {
        switch (asked[0]) {
            case "life":
                return Incarnation.first(1_767_225_600_000L, 10);
            case "forever":
                return Long.toString(Waits.millis(FOR_EVER));
            case "unconnected":
                return unconnected();
            case "unspeakable":
                return unspeakable();
            case "expired":
                return expired();
            case "assigned-late":
                return assignedLate();
            case "revoked-late":
                return revokedLate();
            case "named-apart":
                return namedApart();
            default:
                return read(asked[0], Base64.getDecoder().decode(asked[1]));
        }
    }

    private static String unconnected() throws InterruptedException {
        MemberOptions options = MemberOptions.of("no.host.invalid:9092");
        Member member = new Member("billing", "m", List.of("orders"), options, new Deaf());
        member.start();
        Thread.sleep(500);
        member.fail("played", new IllegalStateException("played"));
        long began = System.nanoTime();
        member.join(AT_ONCE.multipliedBy(2));
        return member.ending() + " " + (System.nanoTime() - began < AT_ONCE.toNanos());
    }

    private static String expired() {
        Throwable reason = new SSLHandshakeException("PKIX path validation failed");
        reason.initCause(new CertificateExpiredException("NotAfter: yesterday"));
        Throwable error = new SslAuthenticationException("SSL handshake failed", reason);
        return new Diagnosis("kafka-1:9092", Map.of()).of(error);
    }

    private static String revokedLate() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        List<String> heard = new CopyOnWriteArrayList<>();
        Member member = member(new Slow(mayGoOn, heard));
        member.received(Topic.ASSIGNMENTS, KEY, assignment(1, "hold", "give"));
        Waiting.await(() -> !heard.isEmpty());
        member.received(Topic.ASSIGNMENTS, KEY, assignment(2, "give", "hold"));
        member.fail("played", new IllegalStateException("played"));
        mayGoOn.countDown();
        member.join(AT_ONCE);
        return String.join(" ", heard);
    }

    private static String namedApart() throws Exception {
        List<String> had = new ArrayList<>();
        Member member = member(new Deaf());
        byte[] apart = (new String(KEY, StandardCharsets.UTF_8) + "@" + LIFE).getBytes(StandardCharsets.UTF_8);
        member.received(Topic.ASSIGNMENTS, apart, assignment(LIFE, 1, "hold", "give"));
        member.received(Topic.ASSIGNMENTS, KEY, assignment(YOUNGER, 2, "hold", "give"));
        member.received(Topic.ASSIGNMENTS, KEY, null);
        had.add("" + member.assignment().size());
        member.received(Topic.ASSIGNMENTS, KEY, assignment(LIFE, 3, "hold", "give"));
        member.received(Topic.ASSIGNMENTS, apart, null);
        had.add("" + member.assignment().size());
        member.received(Topic.ASSIGNMENTS, KEY, null);
        had.add("" + member.assignment().size());
        member.fail("played", new IllegalStateException("played"));
        return String.join(" ", had);
    }

    private static String assignedLate() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        List<String> heard = new CopyOnWriteArrayList<>();
        Member member = member(new Slow(mayGoOn, heard));
        member.received(Topic.ASSIGNMENTS, KEY, assignment(LIFE, 1, "hold", "give"));
        Waiting.await(() -> !heard.isEmpty());
        member.received(Topic.ASSIGNMENTS, KEY, new String(assignment(LIFE, 2, "hold", "give"), StandardCharsets.UTF_8)
                .replace("[0,1,null]", "[0,1,null],[1,2,null]").getBytes(StandardCharsets.UTF_8));
        member.fail("played", new IllegalStateException("played"));
        mayGoOn.countDown();
        member.join(AT_ONCE);
        return String.join(" ", heard);
    }

    private static String unspeakable() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        Member member = member(new MemberListener() {
            @Override
            public void onAssigned(List<Grant> grants) {
                throw new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("played");
                    }
                };
            }

            @Override
            public void onRevoked(List<Grant> grants) {}

            @Override
            public void onLost(List<Grant> grants, LossReason reason) {
                heard.add("lost");
            }
        });
        member.received(Topic.ASSIGNMENTS, KEY, assignment(1, "hold", "give"));
        member.join(AT_ONCE);
        return member.ending() + " " + String.join(" ", heard);
    }

    /** One that has joined a group, and whose Kafka does not answer. */
    private static Member member(MemberListener listener) throws ReflectiveOperationException {
        Member member = new Member("billing", "m", List.of("orders"), MemberOptions.of("127.0.0.1:1"), listener);
        Profile profile = new Profile("billing", "m", List.of("orders"), HOUR_MS, HOUR_MS, null, null);
        set(member, "session", new MemberSession(profile, LIFE, 0));
        set(set(member, "transport", null), "writer", WriterRules.toNobody());
        member.start();
        return member;
    }

    /** Sets a field, but not to null; returns what it is then. */
    private static Object set(Object owner, String name, Object value) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        if (value != null) {
            field.set(owner, value);
        }
        return field.get(owner);
    }

    /** An assignment by which a member has one queue, in this list and not in that one. */
    private static byte[] assignment(long epoch, String in, String notIn) {
        return assignment(LIFE, epoch, in, notIn);
    }

    private static byte[] assignment(String life, long epoch, String in, String notIn) {
        String some = "{\"queues\":[{\"topic\":\"orders\",\"queues\":[[0,1,null]]}]}";
        return ("{\"v\":1,\"kind\":\"assignment\",\"incarnation\":\"" + life + "\",\"epoch\":" + epoch
                + ",\"" + in + "\":" + some + ",\"" + notIn + "\":{\"queues\":[]}"
                + ",\"inherit\":{\"from\":[],\"queues\":[]},\"session_timeout_ms\":" + HOUR_MS
                + ",\"revocation_timeout_ms\":" + HOUR_MS + ",\"heartbeat_interval_ms\":" + HOUR_MS + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String read(String kind, byte[] record) {
        try {
            if ("assignment".equals(kind)) {
                Assignment.read(record);
            } else {
                Release.read(record);
            }
            return "read";
        } catch (UndecodableRecord e) {
            return "skipped";
        }
    }

    /** Takes its time with the first that it hears. */
    private static final class Slow implements MemberListener {
        private final CountDownLatch mayGoOn;
        private final List<String> heard;

        Slow(CountDownLatch mayGoOn, List<String> heard) {
            this.mayGoOn = mayGoOn;
            this.heard = heard;
        }

        @Override
        public void onAssigned(List<Grant> grants) {
            heard.add("assigned " + grants.size());
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void onRevoked(List<Grant> grants) {
            heard.add("revoked");
        }

        @Override
        public void onLost(List<Grant> grants, LossReason reason) {
            heard.add("lost " + grants.size());
        }
    }
}
