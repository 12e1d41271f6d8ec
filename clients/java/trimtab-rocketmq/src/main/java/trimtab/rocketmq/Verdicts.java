package trimtab.rocketmq;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import trimtab.faults.VerdictBoard;
import trimtab.protocol.PairKey;
import trimtab.protocol.Verdict;

/** What the controller says of the brokers of all clusters, asked by the name of a broker. */
final class Verdicts {
    private final String reporter;
    private final Clusters clusters;
    private final Map<String, VerdictBoard> boards = new ConcurrentHashMap<>();

    Verdicts(String reporter, Clusters clusters) {
        this.reporter = reporter;
        this.clusters = clusters;
    }

    /** Takes one record of the topic; of one that has just been written it learns what time it is there. */
    void read(byte[] key, byte[] value, long appendedMs, boolean isLive) {
        PairKey about = PairKey.read(key);
        if (value == null) {
            board(about.first).forget(about.second);
        } else {
            Verdict verdict = Verdict.read(value);
            VerdictBoard board = board(verdict.cluster);
            if (isLive) {
                board.setClock(appendedMs, System.currentTimeMillis());
            }
            board.post(verdict, appendedMs);
        }
    }

    /** Whether a broker is out of use. Without any verdict this costs next to nothing. */
    boolean avoid(String broker) {
        VerdictBoard board = boardOf(broker);
        return board != null && board.avoids(broker, System.currentTimeMillis());
    }

    /** Whether the next message is to go to a broker that is out of use, so that its recovery is seen. */
    boolean haveToTry(String broker) {
        VerdictBoard board = boardOf(broker);
        return board != null && board.isToTry(broker, System.currentTimeMillis());
    }

    /** Whether any broker of any cluster is out of use. */
    boolean avoidAny() {
        long now = System.currentTimeMillis();
        return boards.values().stream().anyMatch(it -> it.avoidsAny(now));
    }

    /** From now on no verdict counts. */
    void forget() {
        boards.clear();
    }

    private VerdictBoard board(String cluster) {
        return boards.computeIfAbsent(cluster, it -> new VerdictBoard(reporter));
    }

    private VerdictBoard boardOf(String broker) {
        String cluster = boards.isEmpty() ? null : clusters.of(broker);
        return cluster == null ? null : boards.get(cluster);
    }
}
