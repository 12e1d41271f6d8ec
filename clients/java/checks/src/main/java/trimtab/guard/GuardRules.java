package trimtab.guard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import trimtab.protocol.HolderRow;
import trimtab.protocol.Holdings;
import trimtab.protocol.JsonReader;
import trimtab.protocol.Life;
import trimtab.protocol.Next;
import trimtab.protocol.Queue;

/**
 * Has a member's side of its guard do what it is told on stdin, for tests of it.
 *
 * <p>Orders: {@code post OPTIONS} asks how it would ask for a guard, with these options of kafka-clients, as JSON;
 * {@code own OPTIONS} the same with options of the guard's client; {@code start}, {@code await} (until the guard
 * has said something), {@code keep N} (so many queues), {@code interrupt} (this thread), {@code dismiss}. Each is
 * answered by a line: what was reported, or {@code ok}.
 */
public final class GuardRules {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Life LIFE = new Life("m", "1767225600000-9f86d081");

    private final List<String> reported = new ArrayList<>();
    private final Guard guard = new Guard(post(Map.of(), Map.of()), reported::add);

    private GuardRules() {}

    public static void main(String[] args) throws IOException {
        GuardRules rules = new GuardRules();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(rules.answer(line.split(" ", 2)));
        }
    }

    private String answer(String[] order) {
        switch (order[0]) {
            case "post":
                return said(post(options(order[1]), Map.of()));
            case "own":
                return said(post(Map.of("sasl.mechanism", "GSSAPI"), options(order[1])));
            case "start":
                guard.start();
                break;
            case "await":
                await();
                break;
            case "keep":
                guard.keep(() -> holding(Integer.parseInt(order[1])));
                break;
            case "interrupt":
                Thread.currentThread().interrupt();
                break;
            default:
                guard.dismiss();
        }
        String answer = reported.isEmpty() ? "ok" : String.join(" / ", reported);
        reported.clear();
        return answer;
    }

    private void await() {
        long overAt = System.nanoTime() + PATIENCE.toNanos();
        while (!guard.hasSpoken() && reported.isEmpty() && System.nanoTime() < overAt) {
            Thread.onSpinWait();
        }
    }

    private static String said(Post post) {
        try {
            return post.line();
        } catch (Unguarded e) {
            return e.getMessage();
        }
    }

    private static Post post(Map<String, Object> kafka, Map<String, Object> ofGuard) {
        return new Post("127.0.0.1:1", "billing", "t.", Duration.ofSeconds(10), kafka, ofGuard);
    }

    private static Map<String, Object> options(String text) {
        Map<String, Object> options = new LinkedHashMap<>();
        ((Map<?, ?>) JsonReader.read(text)).forEach((option, value) -> options.put((String) option, value));
        return options;
    }

    private static Holdings holding(int queues) {
        List<HolderRow> rows = new ArrayList<>();
        for (int number = 0; number < queues; number++) {
            rows.add(new HolderRow(new Queue("orders", "", number), 3, new Next(4, null)));
        }
        return new Holdings(LIFE, rows);
    }
}
