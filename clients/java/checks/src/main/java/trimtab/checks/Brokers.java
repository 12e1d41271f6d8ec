package trimtab.checks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import trimtab.faults.VerdictBoard;
import trimtab.faults.Window;
import trimtab.protocol.Report.Figures;
import trimtab.protocol.Verdict;

/**
 * Plays what a producer knows of its brokers, for a comparison with the producer in Python.
 *
 * <p>{@code Brokers REPORTER}. A line on stdin is {@code post AT VERDICT}, {@code clock AT NOW}, {@code forget BROKER},
 * {@code avoids BROKER NOW}, {@code try BROKER NOW}, {@code note MS FAILED} or {@code close}; each is answered by a
 * line.
 */
public final class Brokers {
    private final VerdictBoard board;
    private final Window window = new Window();

    private Brokers(String reporter) {
        board = new VerdictBoard(reporter);
    }

    public static void main(String[] args) throws IOException {
        Brokers brokers = new Brokers(args[0]);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(brokers.answer(line.split(" ", 3)));
        }
    }

    private String answer(String[] asked) {
        switch (asked[0]) {
            case "post":
                Verdict verdict = Verdict.read(asked[2].getBytes(StandardCharsets.UTF_8));
                board.post(verdict, Long.parseLong(asked[1]));
                return "posted";
            case "clock":
                board.setClock(Long.parseLong(asked[1]), Long.parseLong(asked[2]));
                return "set";
            case "forget":
                board.forget(asked[1]);
                return "forgotten";
            case "avoids":
                return Boolean.toString(board.avoids(asked[1], Long.parseLong(asked[2])));
            case "try":
                return Boolean.toString(board.isToTry(asked[1], Long.parseLong(asked[2])));
            case "note":
                window.note(Double.parseDouble(asked[1]), Boolean.parseBoolean(asked[2]));
                return "noted";
            case "close":
                return said(window.close());
            default:
                throw new IllegalArgumentException(asked[0]);
        }
    }

    private static String said(Figures it) {
        return it == null
                ? "nothing"
                : it.count + " " + it.errors + " " + it.p50Ms + " " + it.p99Ms + " " + it.maxMs;
    }
}
