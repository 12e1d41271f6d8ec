package trimtab.faults;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import trimtab.protocol.Verdict;

/**
 * The controller's verdicts on one cluster's brokers: which are out of use, until when.
 *
 * <p>Each has its own end. When none has come for a while, renewals included, all are ignored. So a
 * controller that is gone keeps no broker out of use. Both ends are on the log's clock, from which the
 * producer's own may be hours away. It is the twin of the one in Python
 * ({@code trimtab.faults.verdicts}). Its one rule: it only excludes; no verdict proves a broker fit.
 */
public final class VerdictBoard {
    /** Three renewals: the controller repeats each verdict once a minute, and two may be late. */
    static final long FRESH_FOR_MS = 180_000;
    /**
     * Two verdicts that were published further apart, and came as far apart within this, came at once. Of a backlog,
     * which comes in a moment, no two do.
     */
    static final long AGREE_MS = 2_000;
    /** How often a reporter on trial sends a message to a broker that is out of use. */
    static final long TRIAL_EVERY_MS = 1_000;

    private final String reporter;
    private final Map<String, Notice> ejected = new ConcurrentHashMap<>();
    private volatile long latest = Long.MIN_VALUE;
    /** When anybody first asked after that was posted, by this producer's clock. */
    private volatile long asked = Long.MAX_VALUE;
    /** By how much this producer's clock is ahead of the log's. */
    private volatile long ahead;
    /** Whether a verdict has said that it is more, or was late; when it was published, and how much. Of one thread. */
    private boolean isLate;
    private long lateAt;
    private long lateAhead;

    /** For a producer that reports under this name. */
    public VerdictBoard(String reporter) {
        this.reporter = reporter;
    }

    /** Enters a verdict, with the time that Kafka gave it. */
    public void post(Verdict verdict, long appendedMs) {
        if (verdict.available) {
            ejected.remove(verdict.broker);
        } else {
            Notice before = ejected.get(verdict.broker);
            // The stamp before may have been wrong: then nobody would try the broker for as long.
            long tried = before == null ? appendedMs : Math.min(before.tried.get(), appendedMs);
            long until = verdict.untilMs == null ? Long.MAX_VALUE : verdict.untilMs;
            ejected.put(verdict.broker, new Notice(until, verdict.testers.contains(reporter), tried));
        }
        asked = Long.MAX_VALUE;
        latest = appendedMs; // of the last, not the largest: a stamp may have been wrong
    }

    /**
     * Something that was published then has come now, and no sooner than at once: so the two clocks are that far apart,
     * or it was late. That they are further apart than before is believed of two alone.
     */
    public void setClock(long appendedMs, long now) {
        long said = now - appendedMs;
        boolean agrees = isLate && Math.abs(said - lateAhead) <= AGREE_MS;
        if (said <= ahead) {
            ahead = said;
            isLate = false;
        } else if (agrees && Math.abs(appendedMs - lateAt) > AGREE_MS) {
            ahead = Math.min(said, lateAhead);
            isLate = false;
        } else if (!agrees) {
            isLate = true;
            lateAt = appendedMs;
            lateAhead = said;
        }
    }

    /** Enters that a broker's record is gone. */
    public void forget(String broker) {
        ejected.remove(broker);
    }

    /** Whether a broker is out of use. */
    public boolean avoids(String broker, long now) {
        return standing(broker, logTime(now)) != null;
    }

    /** Whether any broker is out of use. */
    public boolean avoidsAny(long now) {
        return ejected.keySet().stream().anyMatch(it -> avoids(it, now));
    }

    /**
     * Whether this producer is to send its next message to a broker that is out of use.
     *
     * <p>To be told so counts as a trial: the next one is due a second later.
     */
    public boolean isToTry(String broker, long now) {
        long logTime = logTime(now);
        Notice notice = standing(broker, logTime);
        if (notice == null || !notice.trial) {
            return false;
        }
        long last = notice.tried.get();
        return logTime - last >= TRIAL_EVERY_MS && notice.tried.compareAndSet(last, logTime);
    }

    /** What time it is for the log: no earlier than its last record says, and on from it. */
    private long logTime(long now) {
        long last = latest;
        long since = asked;
        if (now < since) { // nobody has asked yet, or the clock is set back
            asked = since = now;
        }
        return last == Long.MIN_VALUE ? now - ahead : Math.max(now - ahead, last + now - since);
    }

    private Notice standing(String broker, long logTime) {
        Notice notice = ejected.get(broker);
        boolean isStale = latest == Long.MIN_VALUE || logTime - latest > FRESH_FOR_MS;
        return notice == null || isStale || logTime >= notice.untilMs ? null : notice;
    }

    private static final class Notice {
        final long untilMs;
        final boolean trial;
        final AtomicLong tried;

        Notice(long untilMs, boolean trial, long tried) {
            this.untilMs = untilMs;
            this.trial = trial;
            this.tried = new AtomicLong(tried);
        }
    }
}
