package trimtab.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import trimtab.Grant;
import trimtab.protocol.Assignment;
import trimtab.protocol.HolderRow;
import trimtab.protocol.Holdings;
import trimtab.protocol.Life;
import trimtab.protocol.Outgoing;
import trimtab.protocol.Queue;
import trimtab.protocol.Release;

/**
 * One member of a group: records, delivery reports and time in; records and callbacks out.
 *
 * <p>No socket, no thread, no clock: a shell hands in what it received and what time it is (any clock
 * that only goes forward, in ms) and carries out the actions it gets back, in order. Not safe for
 * several threads at once.
 *
 * <p>Its one rule: before anything else is believed, time is taken into account. A process that was
 * suspended must find out that it is dead before it reads what happened meanwhile.
 */
public final class MemberSession {
    /** How far it has come in its life. */
    public enum Phase {
        /** It asks until an assignment answers. */
        JOINING,
        /** It beats, obeys and releases. */
        JOINED,
        /** It was asked to leave: it hands on what has an heir, and works on the rest. */
        DRAINING,
        ENDED
    }

    private Profile profile;
    private Phase phase = Phase.JOINING;
    private final Recall recall = new Recall();
    private List<Action> actions = new ArrayList<>();
    private final Asking asking;
    private final Leaving leaving = new Leaving();
    /** Of earlier lives; null: there was none. */
    private Long lastEpoch;
    /** Of one that has gone without a word. */
    private List<HolderRow> leftBehind = List.of();

    // All below is of one life.
    private Life life;
    private long epoch;
    private Baton baton;
    private Outbox outbox;
    private Statement statement;
    private Mark mark;
    private Fence fence;
    private Beating beating;
    private long revocationTimeoutMs;

    public MemberSession(Profile profile, String incarnation, long now) {
        this.profile = profile;
        this.asking = new Asking(now);
        begin(incarnation, 1, now);
    }

    public Phase phase() {
        return phase;
    }

    public String incarnation() {
        return life.incarnation;
    }

    /** Whether this life was answered: it is a member, whatever it has. */
    public boolean isAnswered() {
        return epoch > 0;
    }

    /** What the application may work on. Hand in the time first ({@link #tick}). */
    public List<Grant> working() {
        return baton.working();
    }

    /** The same of one queue. */
    public boolean isWorkingOn(Queue queue) {
        return baton.isWorkingOn(queue);
    }

    /** The grant of a queue that is valid: it is worked on, or not yet released. Null: there is none. */
    public Grant grantOf(Queue queue) {
        return baton.grantOf(queue);
    }

    /** Whether a grant is valid: it is worked on, or not yet released. */
    public boolean owns(Grant grant) {
        return baton.owns(grant);
    }

    /** What the application was told to stop working on, and has not finished. */
    public List<Grant> revoking() {
        return baton.revoking();
    }

    /** When the first of these that are revoked must be finished, or all is lost; null: none is. */
    public Long finishBy(Collection<Grant> grants) {
        return baton.deadlineOf(grants);
    }

    /** What the controller grants; before it has answered, what was asked for. */
    public long revocationTimeoutMs() {
        return revocationTimeoutMs;
    }

    /** What is to be released if the process dies now: all that is not known to be so yet. */
    public Holdings holdings() {
        List<HolderRow> rows = outbox.holdings();
        rows.addAll(baton.holdings());
        rows.addAll(leftBehind);
        return new Holdings(life, rows);
    }

    /** When {@link #tick} must be called at the latest. */
    public long wakeAt() {
        long first = fence.deadline();
        first = leaving.ticket == null ? Math.min(first, beating.dueAt) : first;
        first = sooner(first, baton.deadline());
        first = sooner(first, leaving.deadline);
        return sooner(first, asking.dueAt);
    }

    private static long sooner(long first, Long other) {
        return other == null ? first : Math.min(first, other);
    }

    /** Time has passed. */
    public List<Action> tick(long now) {
        passTime(now);
        return settle(now);
    }

    /** An assignment for this member was read; null is a tombstone. */
    public List<Action> receive(Assignment record, long now) {
        passTime(now);
        if (phase == Phase.ENDED) {
            return settle(now);
        }
        if (record == null) {
            if (epoch > 0) { // before that, it is about an earlier life
                startOver(LossReason.UNKNOWN, now);
            }
        } else if (record.incarnation.compareTo(life.incarnation) > 0) {
            apply(baton.loseAll(), LossReason.REPLACED);
            end(Ending.REPLACED);
        } else if (!leaving.temporary && leaving.ticket == null && isNews(record)) {
            obey(record, now); // one that leaves has said that it works on nothing any more
        }
        return settle(now);
    }

    /** A release was read, of any member. */
    public List<Action> hear(Release release, long now) {
        passTime(now);
        mark.heard(release);
        if (phase != Phase.ENDED && leaving.ticket == null) { // who has gone begins nothing
            apply(baton.hear(release), LossReason.RELEASED);
        }
        if (phase == Phase.DRAINING) {
            part(now); // there may be somebody to name now
        }
        return settle(now);
    }

    /** The application has stopped working under revoked grants, at these positions. */
    public List<Action> finish(Map<Grant, Long> positions, long now) {
        passTime(now);
        apply(baton.finish(positions), LossReason.TAKEN);
        return settle(now);
    }

    /** Kafka has a record. */
    public List<Action> acknowledged(long ticket, long now) {
        fence.acknowledged(ticket); // first: it may be the very proof of life that was due
        statement.acknowledged(ticket);
        outbox.acknowledged(ticket);
        asking.acknowledged(ticket);
        passTime(now);
        if (leaving.ticket != null && ticket == leaving.ticket) {
            end(Ending.LEFT);
        }
        return settle(now);
    }

    /** A record did not reach Kafka. */
    public List<Action> failed(long ticket, long now) {
        fence.failed(ticket);
        outbox.failed(ticket);
        asking.failed(ticket, now);
        beating.failed(profile.heartbeatIntervalMs());
        passTime(now);
        if (leaving.ticket != null && ticket == leaving.ticket) {
            end(Ending.ABANDONED);
        }
        return settle(now);
    }

    /** Everything that was in the log at some time has been received. */
    public List<Action> caughtUp(long at, long now) {
        fence.readAt = Math.max(fence.readAt, at);
        return tick(now);
    }

    /** Asks for something else from now on, as the same life. */
    public List<Action> want(Profile wanted, long now) {
        passTime(now);
        profile = wanted;
        baton.subscribes = wanted::subscribes;
        if (phase == Phase.JOINING || phase == Phase.JOINED) {
            asking.change(now);
        }
        return settle(now);
    }

    /**
     * Leaves: hands on what has an heir; works on the rest until it has one, or the time is up.
     *
     * <p>Temporarily: stops all work at once and releases to nobody, so that the queues are kept.
     */
    public List<Action> stop(long now, long timeoutMs, boolean temporary) {
        passTime(now);
        if (phase == Phase.JOINING || phase == Phase.JOINED) {
            phase = Phase.DRAINING;
            asking.end();
            leaving.begin(now + timeoutMs, temporary);
            if (temporary) {
                hurry(now);
            } else if (!baton.isIdle()) {
                post(Outgoing.drain());
                part(now);
            }
        } else {
            leaving.beginAgain(now + timeoutMs);
        }
        return settle(now);
    }

    /** Ends at once, saying nothing: whether the application has stopped is not known. */
    public List<Action> abort(long now) {
        if (phase != Phase.ENDED) {
            abandon(LossReason.FAILED);
        }
        return settle(now);
    }

    /** A new life: nothing of the old one counts. */
    private void begin(String incarnation, long firstTicket, long now) {
        life = new Life(profile.member, incarnation);
        epoch = 0;
        baton = new Baton(life, recall, profile::subscribes);
        outbox = new Outbox(profile.group, life, firstTicket);
        statement = new Statement();
        mark = new Mark(life);
        fence = new Fence(profile.sessionTimeoutMs, now);
        beating = new Beating(profile.heartbeatIntervalMs(), now);
        revocationTimeoutMs = profile.revocationTimeoutMs;
    }

    /** Whether a record is for this life, and later than what it was told last. */
    public boolean isNews(Assignment record) {
        return record.incarnation.equals(life.incarnation) && record.epoch > epoch;
    }

    private void obey(Assignment record, long now) {
        epoch = record.epoch;
        if (phase == Phase.JOINING) {
            phase = Phase.JOINED;
        }
        fence.sessionTimeoutMs = record.sessionTimeoutMs;
        revocationTimeoutMs = record.revocationTimeoutMs;
        beating.keepTo(record.heartbeatIntervalMs);
        apply(baton.obey(record, now + Fence.within(record.revocationTimeoutMs)), LossReason.TAKEN);
        if (!baton.working().isEmpty()) {
            statement.outdated(); // a full beat shows whom it would name from now on, if any
        }
        if (phase == Phase.DRAINING) {
            part(now);
        }
        if (!record.joinAgain) {
            asking.answered();
        } else if (phase == Phase.JOINED) {
            asking.begin(now);
        }
    }

    /** What silence alone decides. */
    private void passTime(long now) {
        if (phase == Phase.ENDED) {
            return;
        }
        Long overdue = baton.deadline();
        if (now >= fence.deadline()) {
            actions.add(fence.verdict(now));
            startOver(LossReason.UNHEARD, now);
        } else if (overdue != null && now >= overdue) {
            // The controller is about to fence us for it, and with this queue all others.
            startOver(LossReason.OVERDUE, now);
        } else if (leaving.deadline != null && now >= leaving.deadline) {
            hurry(now);
        }
    }

    /** No heir came in time: stop anyway; if that takes too long as well, just go. */
    private void hurry(long now) {
        if (leaving.hurried) {
            abandon(LossReason.OVERDUE);
            return;
        }
        leaving.hurry(baton, now, Fence.within(revocationTimeoutMs));
        part(now);
    }

    private void part(long now) {
        apply(leaving.letGo(baton, now, Fence.within(revocationTimeoutMs)), LossReason.TAKEN);
    }

    private void startOver(LossReason reason, long now) {
        if (phase == Phase.DRAINING) {
            abandon(reason);
            return;
        }
        apply(baton.loseAll(), reason);
        phase = Phase.JOINING;
        asking.renew(now);
        if (epoch > 0 || lastEpoch == null) {
            lastEpoch = epoch;
        }
        begin(Incarnation.next(life.incarnation), outbox.nextTicket(), now);
    }

    /** Just goes; what was held may be worked on until the process dies. */
    private void abandon(LossReason reason) {
        leftBehind = baton.holdings();
        apply(baton.loseAll(), reason);
        end(Ending.ABANDONED);
    }

    private void end(Ending ending) {
        phase = Phase.ENDED;
        asking.end();
        actions.add(new Action.Ended(ending));
    }

    private void apply(Changes changes, LossReason reason) {
        changes.tell(actions, reason);
        if (!changes.released.isEmpty()) {
            statement.outdated();
            boolean gone = phase == Phase.DRAINING && mark.lastWord();
            actions.addAll(outbox.release(changes.released, gone));
        }
    }

    /** Sends what is due, and hands over all actions. */
    private List<Action> settle(long now) {
        if (asking.dueAt != null && now >= asking.dueAt) {
            join(now);
        }
        if (phase != Phase.ENDED) {
            leaveOrBeat(now);
        }
        List<Action> due = actions;
        actions = new ArrayList<>();
        return due;
    }

    private void leaveOrBeat(long now) {
        if (phase == Phase.DRAINING && baton.isIdle() && outbox.isConfirmed()) {
            if (leaving.ticket == null) {
                baton.loseAll(); // what it waits for
                showMark(mark.goesUnsaid());
                leaving.ticket = outbox.nextTicket();
                post(Outgoing.leave(leaving.temporary));
            }
            return;
        }
        if (statement.differs(baton.owned()) && epoch > 0) {
            beating.hasten();
        }
        if (now >= beating.dueAt) {
            beat(now);
        }
    }

    private void join(long now) {
        long ticket = outbox.nextTicket();
        fence.sent(ticket, now);
        asking.asked(ticket, now);
        post(Outgoing.join(profile.wishes(lastEpoch)));
        mark.again();
        showMark(false);
    }

    private void showMark(boolean last) {
        if (last || mark.due()) {
            mark.sent(outbox.nextSequence(), epoch > 0);
            post(Outgoing.release(List.of(), last && mark.lastWord()));
        }
    }

    private void beat(long now) {
        actions.addAll(outbox.postAgain());
        showMark(false);
        Map<Queue, Long> owned = statement.due(baton.owned());
        long ticket = outbox.nextTicket();
        fence.sent(ticket, now);
        if (owned != null) {
            statement.sent(ticket, owned);
        }
        post(Outgoing.beat(epoch, owned));
        actions.add(new Action.FindEnd());
        beating.sent(now);
    }

    private void post(Outgoing record) {
        actions.add(outbox.post(record));
    }
}
