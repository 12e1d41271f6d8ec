package trimtab.session;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import trimtab.protocol.GrantRef;
import trimtab.protocol.Life;
import trimtab.protocol.Queue;
import trimtab.protocol.Release;
import trimtab.protocol.ReleaseRow;

/**
 * Recent releases: of each grant that was released, what its first release said.
 *
 * <p>A release and the grant that waits for it travel by different topics, so an heir may read the
 * release first. A later release never counts, also if the first was forgotten: releases of a queue
 * come in the order of their epochs, so the highest one forgotten is all the memory this takes.
 */
final class Recall {
    /** Two of the largest records there are, some 4 MB. */
    private static final int CAPACITY = 20_000;

    /** More members cannot have a queue of the largest group each. */
    private static final int MEMBERS = 10_000;

    /** By queue and source, oldest first. */
    private final LinkedHashMap<List<Object>, ReleaseRow> firsts = new LinkedHashMap<>();

    /** The highest epoch of each queue whose release was forgotten. */
    private final Map<Queue, Long> forgotten = new HashMap<>();
    /** By member: the youngest life that has shown its mark, and the youngest that has gone. */
    private final LinkedHashMap<String, String[]> lives = new LinkedHashMap<>();

    void hear(Release release) {
        hearOf(release);
        for (ReleaseRow row : release.rows) {
            if (row.epoch > forgotten.getOrDefault(row.queue, 0L)) {
                firsts.putIfAbsent(List.of(row.queue, new GrantRef(release.life, row.epoch)), row);
            }
        }
        while (firsts.size() > CAPACITY) {
            ReleaseRow oldest = firsts.remove(firsts.keySet().iterator().next());
            forgotten.merge(oldest.queue, oldest.epoch, Long::max);
        }
    }

    /** What the first release of exactly this grant said; null: none was heard. */
    ReleaseRow first(Queue queue, GrantRef source) {
        return firsts.get(List.of(queue, source));
    }

    /** Whether a life has said that it goes, or a later one of its member has. */
    boolean hasGone(Life life) {
        return of(life.member)[1].compareTo(life.incarnation) >= 0;
    }

    /** The life that is there in the place of one that has gone, or null. */
    Life successor(Life life) {
        String youngest = of(life.member)[0];
        String gone = of(life.member)[1];
        boolean isThere = gone.compareTo(life.incarnation) >= 0 && gone.compareTo(youngest) < 0;
        return isThere ? new Life(life.member, youngest) : null;
    }

    private void hearOf(Release release) {
        String[] known = of(release.life.member);
        String incarnation = release.life.incarnation;
        String youngest = release.byItself ? later(known[0], incarnation) : known[0];
        String gone = release.gone ? later(known[1], incarnation) : known[1];
        lives.remove(release.life.member); // and again as the one that was heard of last
        lives.put(release.life.member, new String[] {youngest, gone});
        if (lives.size() > MEMBERS) {
            lives.remove(lives.keySet().iterator().next());
        }
    }

    private String[] of(String member) {
        return lives.getOrDefault(member, new String[] {"", ""});
    }

    private static String later(String one, String other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
