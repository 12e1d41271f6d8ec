package trimtab.checks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.Waits;
import trimtab.protocol.Assignment;
import trimtab.protocol.Release;
import trimtab.protocol.UndecodableRecord;
import trimtab.session.Incarnation;

/**
 * Says what a member does without a server, for tests of it.
 *
 * <p>A line is {@code life} (answers the name of one), {@code forever} (answers how many milliseconds that is),
 * {@code unconnected} (a member fails that has not reached Kafka; answers how it ends, and whether at once),
 * {@code assignment RECORD} or {@code release RECORD} (answers whether it is read).
 */
public final class MemberRules {
    private static final Duration AT_ONCE = Duration.ofSeconds(8);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private MemberRules() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(answer(line.split(" ", 2)));
        }
        System.exit(0);
    }

    private static String answer(String[] asked) throws InterruptedException {
        switch (asked[0]) {
            case "life":
                return Incarnation.first(1_767_225_600_000L, 10);
            case "forever":
                return Long.toString(Waits.millis(FOR_EVER));
            case "unconnected":
                return unconnected();
            default:
                return read(asked[0], asked[1].getBytes(StandardCharsets.UTF_8));
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
}
