package trimtab.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.protocol.Assignment;
import trimtab.protocol.Queue;
import trimtab.session.MemberSession;
import trimtab.session.Profile;

/**
 * What a member takes to say whether it holds a queue, which it is asked for each message.
 *
 * <p>For each line on stdin, an assignment, it says on stdout how many nanoseconds it takes to ask whether the member
 * holds the first queue of it, and under which grant. The member has a session, and no Kafka.
 */
public final class AskingCost {
    private static final int ASKED = 2_000;
    private static final int ROUNDS = 15;
    private static final long HOUR_MS = 3_600_000;

    private AskingCost() {}

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Assignment record = Assignment.read(line.getBytes(StandardCharsets.UTF_8));
            System.out.println(cost(owner(record), record.hold.get(0).queue));
        }
    }

    private static Member owner(Assignment record) throws ReflectiveOperationException {
        Profile profile = new Profile("billing", "m", List.of("orders"), HOUR_MS, HOUR_MS, null, null);
        MemberSession session = new MemberSession(profile, record.incarnation, 0);
        session.receive(record, 0);
        Member member = new Member("billing", "m", List.of("orders"), MemberOptions.of("127.0.0.1:1"), null);
        Field place = Member.class.getDeclaredField("session");
        place.setAccessible(true);
        place.set(member, session);
        return member;
    }

    /** Of the fastest round: others share the processor. */
    private static long cost(Member member, Queue queue) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long began = System.nanoTime();
            for (int asked = 0; asked < ASKED; asked++) {
                if (!member.holds(queue) || member.grant(queue).isEmpty()) {
                    throw new IllegalStateException("it has the queue");
                }
            }
            best = Math.min(best, (System.nanoTime() - began) / ASKED);
        }
        return best;
    }
}
