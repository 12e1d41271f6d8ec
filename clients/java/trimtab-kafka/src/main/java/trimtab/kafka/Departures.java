package trimtab.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Grant;
import trimtab.Member;

/**
 * Queues that were taken from us, until each is handed over.
 *
 * <p>A queue waits for what the application has in hand of it, and for no other queue. Then the application
 * hears of it; with commits by hand it has half of the time that is granted for a revocation to commit, unless the batch
 * that it had in hand took so long that all queues would be lost by then. Then the position is committed, and travels with the release. Used by the {@link Keeper}, on its thread.
 */
final class Departures {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** So much of a revocation is the member's; then it loses all. It says when that is. */
    private static final double OWN_SHARE = 0.8;
    /** An application that commits by itself has so much of the time until then for that. */
    private static final double FLUSH_SHARE = 0.5 / OWN_SHARE;
    /** By then it has had its time, whenever that began. */
    private static final double FLUSHED_SHARE = 0.7 / OWN_SHARE;
    /** Who has said nothing for so long is not asked again of what leaves with it: what is late is lost. */
    private static final Duration SILENT = Duration.ofSeconds(1);

    private final Member member;
    private final Intake intake;
    private final Commits commits;
    private final Telling telling;
    /** All that leave. */
    private final Map<Grant, Leave> leaving = new HashMap<>();
    /** Whether Kafka did not answer of one of them. The keeper's own. */
    private boolean isSilent;

    Departures(Member member, Intake intake, Commits commits, Telling telling) {
        this.member = member;
        this.intake = intake;
        this.commits = commits;
        this.telling = telling;
    }

    /** Finds out what Kafka has of readings. */
    interface Learning {
        void learn(Collection<Reading> readings) throws Refused;
    }

    /** Begins to hand these over; of those that are not begun, to begin where that was decided. */
    void begin(List<Grant> grants, Map<Grant, Long> whereToBegin) {
        Duration left = member.owned(grants).left; // null: they are lost by now, and that is told next
        long time = left == null ? 0 : left.toNanos();
        synchronized (this) {
            grants.forEach(it -> leaving.put(it, new Leave(time, whereToBegin.get(it))));
        }
    }

    /** Nobody waits for these any more. */
    synchronized void forget(List<Grant> grants) {
        leaving.keySet().removeAll(grants);
    }

    synchronized boolean isEmpty() {
        return leaving.isEmpty();
    }

    private synchronized boolean isLeaving(Grant grant) {
        return leaving.containsKey(grant);
    }

    boolean isAwaited() {
        return intake.readingsOf(all()).stream().anyMatch(it -> intake.isInHand(it) || intake.isUncommitted(it));
    }

    /** Hands over those that are ready. */
    void look(Learning learning) throws InterruptedException {
        List<Grant> all = all();
        if (all.isEmpty()) {
            isSilent = false;
            return;
        }
        Map<Grant, Reading> readings = new HashMap<>();
        intake.readingsOf(all).forEach(it -> readings.put(it.grant, it));
        tell(all, readings);
        List<Grant> ready = new ArrayList<>();
        long now = System.nanoTime();
        synchronized (this) {
            leaving.forEach((grant, leave) -> {
                Reading reading = readings.get(grant);
                boolean isUncommitted = reading != null && intake.isUncommitted(reading);
                if (leave.told && (!isUncommitted || now - leave.flushUntil > 0)) {
                    ready.add(grant);
                }
            });
        }
        if (!ready.isEmpty()) {
            handOver(ready, readings, learning);
        }
    }

    /** Tells the application of those with which it has finished. */
    private void tell(List<Grant> all, Map<Grant, Reading> readings) throws InterruptedException {
        List<Grant> finished = new ArrayList<>();
        synchronized (this) {
            for (Grant grant : all) {
                Reading reading = readings.get(grant);
                boolean isFinished = reading == null || !intake.isInHand(reading);
                if (isFinished && leaving.containsKey(grant) && !leaving.get(grant).told) {
                    finished.add(grant);
                }
            }
        }
        if (finished.isEmpty()) {
            return;
        }
        if (!telling.revoked(finished, this::isLeaving)) {
            return;
        }
        synchronized (this) {
            finished.forEach(it -> leaving.computeIfPresent(it, (grant, leave) -> leave.tell()));
        }
    }

    private void handOver(List<Grant> ready, Map<Grant, Reading> readings, Learning learning) {
        Map<Grant, Long> positions = new HashMap<>();
        List<Reading> ended = new ArrayList<>();
        for (Grant grant : ready) {
            Reading reading = readings.get(grant);
            positions.put(grant, reading == null ? whereToBegin(grant) : intake.positionToGive(reading));
            if (reading != null) {
                ended.add(reading);
            }
        }
        if (!isSilent) {
            commit(ended, learning);
        }
        intake.forget(ended);
        forget(ready);
        member.finish(positions);
    }

    private void commit(List<Reading> ended, Learning learning) {
        long begun = System.nanoTime();
        try {
            List<Reading> unknown = new ArrayList<>(ended);
            unknown.removeIf(it -> it.committed != null);
            try {
                learning.learn(unknown);
            } finally { // one of which Kafka does not say it keeps no other back
                commits.write(() -> intake.due(false, ended));
            }
        } catch (Refused e) {
            // A repetition at most: the position travels with the release.
            LOG.warn("could not commit a queue that is handed over: {}", e.getMessage());
            isSilent = System.nanoTime() - begun > SILENT.toNanos();
        }
    }

    /** Of one that was not begun; null: that was not decided, or it is lost. */
    private synchronized Long whereToBegin(Grant grant) {
        Leave leave = leaving.get(grant);
        return leave == null ? null : leave.whereToBegin;
    }

    private synchronized List<Grant> all() {
        return new ArrayList<>(leaving.keySet());
    }

    /** How far a queue is on its way. Guarded by the departures. */
    private static final class Leave {
        private final long since = System.nanoTime();
        /** In which it must be handed over. */
        private final long time;
        /** Its heir's; null: the heir finds that out. */
        private final Long whereToBegin;
        /** Until when it waits at most for a commit by hand. */
        long flushUntil;
        /** Whether the application has heard of it. */
        boolean told;

        Leave(long time, Long whereToBegin) {
            this.time = time;
            this.whereToBegin = whereToBegin;
        }

        Leave tell() {
            long passed = System.nanoTime() - since;
            flushUntil = since + (long) Math.min(passed + time * FLUSH_SHARE, time * FLUSHED_SHARE);
            told = true;
            return this;
        }
    }
}
