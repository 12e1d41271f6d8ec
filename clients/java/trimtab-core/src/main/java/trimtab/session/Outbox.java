package trimtab.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import trimtab.protocol.HolderRow;
import trimtab.protocol.Life;
import trimtab.protocol.Outgoing;
import trimtab.protocol.Queue;
import trimtab.protocol.ReleaseRow;

/**
 * The records of one incarnation on their way out: numbered, tracked, repeated until they are in.
 *
 * <p>Beats are not repeated, because the next one says more; the session repeats joins and marks.
 */
final class Outbox {
    /** So many queues are released in one record: half of the most that a record may name. */
    private static final int QUEUES_AT_ONCE = 5_000;

    /** So many lives are named in one record: of the longest names they take a fifth of it. */
    private static final int LIVES_AT_ONCE = 200;

    private final String group;
    private final Life life;
    private long ticket;
    private long sequence;
    private final Map<Long, Outgoing> unconfirmed = new LinkedHashMap<>();
    private List<Outgoing> failed = new ArrayList<>();

    Outbox(String group, Life life, long firstTicket) {
        this.group = group;
        this.life = life;
        this.ticket = firstTicket;
    }

    /** The ticket of the next record; never used twice in a session. */
    long nextTicket() {
        return ticket;
    }

    /** The sequence of the next record. */
    long nextSequence() {
        return sequence + 1;
    }

    /** Whether everything that must arrive has arrived. */
    boolean isConfirmed() {
        return unconfirmed.isEmpty() && failed.isEmpty();
    }

    /** What was said to be released, and is not known to be in the log. */
    List<HolderRow> holdings() {
        return Stream.concat(unconfirmed.values().stream(), failed.stream())
                .flatMap(record -> record.released.stream())
                .map(row -> new HolderRow(row.queue, row.epoch, row.next))
                .collect(Collectors.toList());
    }

    Action post(Outgoing record) {
        long its = ticket++;
        sequence++;
        if (record.mustArrive) {
            unconfirmed.put(its, record);
        }
        return new Action.Send(record.topic, group, record.signed(life, sequence), its);
    }

    /** Sends releases, in as many records as they need. */
    List<Action> release(List<ReleaseRow> rows, boolean gone) {
        List<Action> sent = new ArrayList<>();
        Map<Queue, ReleaseRow> portion = new LinkedHashMap<>();
        Set<Life> takers = new HashSet<>();
        for (ReleaseRow row : rows) {
            boolean isFull = portion.size() == QUEUES_AT_ONCE || takers.size() == LIVES_AT_ONCE;
            if (isFull || portion.containsKey(row.queue)) {
                sent.add(post(Outgoing.release(portion.values(), gone)));
                portion = new LinkedHashMap<>();
                takers.clear();
            }
            portion.put(row.queue, row);
            if (row.next != null && row.next.life != null) {
                takers.add(row.next.life);
            }
        }
        if (!portion.isEmpty()) {
            sent.add(post(Outgoing.release(portion.values(), gone)));
        }
        return sent;
    }

    void acknowledged(long its) {
        unconfirmed.remove(its);
    }

    void failed(long its) {
        Outgoing record = unconfirmed.remove(its);
        if (record != null) {
            failed.add(record);
        }
    }

    /** Sends what failed, under new numbers. */
    Collection<Action> postAgain() {
        List<Outgoing> again = failed;
        failed = new ArrayList<>();
        List<Action> sent = new ArrayList<>();
        again.forEach(record -> sent.add(post(record)));
        return sent;
    }
}
