package trimtab.session;

import java.util.LinkedHashMap;
import java.util.List;
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
 * come in the order of their epochs, so the highest one forgotten is all the memory this takes. What
 * is beyond so many queues counts as forgotten to the highest of their epochs.
 */
final class Recall {
    /** Two of the largest records there are, some 4 MB. */
    private static final int CAPACITY = 20_000;

    /** More members cannot have a queue of the largest group each. */
    private static final int MEMBERS = 10_000;

    /** By queue and source, oldest first. */
    private final LinkedHashMap<List<Object>, ReleaseRow> firsts = new LinkedHashMap<>();

    /** The highest epoch of each queue whose release was forgotten, the latest at the end. */
    private final LinkedHashMap<Queue, Long> forgotten = new LinkedHashMap<>();

    /** The same for all queues that do not stand there. */
    private long floor;

    /** By member: the youngest life that has shown its mark, and the youngest that has gone. */
    private final LinkedHashMap<String, String[]> lives = new LinkedHashMap<>();

    void hear(Release release) {
        hearOf(release);
        for (ReleaseRow row : release.rows) {
            if (row.epoch > forgotten.getOrDefault(row.queue, floor)) {
                firsts.putIfAbsent(List.of(row.queue, new GrantRef(release.life, row.epoch)), row);
            }
        }
        while (firsts.size() > CAPACITY) {
            forget(firsts.remove(firsts.keySet().iterator().next()));
        }
    }

    private void forget(ReleaseRow oldest) {
        Long before = forgotten.remove(oldest.queue);
        forgotten.put(oldest.queue, Math.max(oldest.epoch, before == null ? floor : before));
        if (forgotten.size() > CAPACITY) {
            floor = Math.max(floor, forgotten.remove(forgotten.keySet().iterator().next()));
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
