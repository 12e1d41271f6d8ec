package trimtab.checks;

import java.time.Duration;
import java.util.List;
import trimtab.Member;
import trimtab.MemberOptions;

/** Says how a member ends within some seconds, by its servers and its settings; null: it goes on. */
public final class Settings {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Settings() {}

    public static void main(String[] arguments) throws InterruptedException {
        MemberOptions options = MemberOptions.of(arguments[0]);
        for (int at = 1; at < arguments.length; at += 2) {
            options.kafka(arguments[at], arguments[at + 1]);
        }
        Member member = new Member("billing", "worker-1", List.of("orders"), options, new Deaf());
        member.start();
        member.join(PATIENCE);
        System.out.println(member.ending());
        System.exit(0);
    }
}
