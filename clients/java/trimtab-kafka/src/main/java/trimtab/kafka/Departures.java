package trimtab.kafka;

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
 * hears of it; with commits by hand it has half of the time of a revocation to commit, unless the batch that it
 * had in hand took so long that all queues would be lost by then. Then the position is committed, and travels with the release. Used by the {@link Keeper}, on its thread.
 */
final class Departures {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** An application that commits by itself has half of the time of a revocation for that. */
    private static final double FLUSH_SHARE = 0.5;
    /** By then it has had its time, whenever that began: after four fifths the member loses all. */
    private static final double FLUSHED_SHARE = 0.7;

    private final ConsumerOptions options;
    private final Member member;
    private final Intake intake;
    private final Commits commits;
    private final Telling telling;
    /** All that leave. */
    private final Map<Grant, Leave> leaving = new HashMap<>();

    Departures(ConsumerOptions options, Member member, Intake intake, Commits commits, Telling telling) {
        this.options = options;
        this.member = member;
        this.intake = intake;
        this.commits = commits;
        this.telling = telling;
    }

    /** Finds out what Kafka has of readings. */
    interface Learning {
        void learn(Collection<Reading> readings) throws Refused;
    }

    synchronized void begin(List<Grant> grants) {
        grants.forEach(it -> leaving.put(it, new Leave(System.nanoTime() + share(FLUSHED_SHARE))));
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
        long flushUntil = System.nanoTime() + share(FLUSH_SHARE);
        synchronized (this) {
            finished.forEach(it -> leaving.computeIfPresent(it, (grant, leave) -> leave.tell(flushUntil)));
        }
    }

    private long share(double share) {
        return (long) (options.member.revocationTimeout().toNanos() * share);
    }

    private void handOver(List<Grant> ready, Map<Grant, Reading> readings, Learning learning) {
        Map<Grant, Long> positions = new HashMap<>();
        List<Reading> ended = new ArrayList<>();
        for (Grant grant : ready) {
            Reading reading = readings.get(grant);
            positions.put(grant, reading == null ? null : intake.positionToGive(reading)); // null: it was not begun
            if (reading != null) {
                ended.add(reading);
            }
        }
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
        }
        intake.forget(ended);
        forget(ready);
        member.finish(positions);
    }

    private synchronized List<Grant> all() {
        return new ArrayList<>(leaving.keySet());
    }

    /** How far a queue is on its way. Guarded by the departures. */
    private static final class Leave {
        /** Until when it waits at most for a commit by hand. */
        long flushUntil;
        /** Whether the application has heard of it. */
        boolean told;

        Leave(long flushUntil) {
            this.flushUntil = flushUntil;
        }

        Leave tell(long until) {
            flushUntil = until - flushUntil < 0 ? until : flushUntil;
            told = true;
            return this;
        }
    }
}
