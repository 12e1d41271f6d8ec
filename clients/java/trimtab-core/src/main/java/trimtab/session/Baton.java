package trimtab.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import trimtab.Grant;
import trimtab.protocol.Assignment;
import trimtab.protocol.GrantRef;
import trimtab.protocol.HeirRow;
import trimtab.protocol.HolderRow;
import trimtab.protocol.Life;
import trimtab.protocol.Limits;
import trimtab.protocol.Next;
import trimtab.protocol.Queue;
import trimtab.protocol.Release;
import trimtab.protocol.ReleaseRow;
import trimtab.session.Duty.Owned;
import trimtab.session.Duty.Revoking;
import trimtab.session.Duty.Waiting;
import trimtab.session.Duty.Working;

/**
 * The member's side of the baton: what one life of a member may work on, queue by queue.
 *
 * <ol>
 *   <li>An heir starts when the first release of exactly its source names its own epoch, or when a
 *       record says hold. Whoever it is starts on the first release of a grant that names this life.
 *   <li>A grant that is to be given up, or was released, is never worked on again, whatever record
 *       still says hold. Epochs only grow, so the highest such epoch of a queue is all the memory.
 *   <li>It is released once the application has said that it stopped, and not before.
 * </ol>
 *
 * <p>A queue no longer named, or named under another epoch, was taken away: it is lost at once. But the
 * first record after a release has begun it may be older than that release; so the second one counts.
 */
final class Baton {
    Predicate<String> subscribes;

    private final Life me;
    private final Recall recall;
    private final SortedMap<Queue, Duty> states = new TreeMap<>();
    /** Rule 2: the highest epoch under which each queue was given up, or released. */
    private final Map<Queue, Long> letGo = new HashMap<>();
    /** When the first revocation must be finished; null: none is under way. Asked far more often than it changes. */
    private Long deadline;
    private boolean isDeadlineKnown = true;

    Baton(Life me, Recall recall, Predicate<String> subscribes) {
        this.me = me;
        this.recall = recall;
        this.subscribes = subscribes;
    }

    /** Whether there is nothing to work on or to finish. To wait for a queue binds nobody. */
    boolean isIdle() {
        return states.values().stream().allMatch(it -> it instanceof Waiting);
    }

    /** What is worked on or not yet released: what beats say. */
    Map<Queue, Long> owned() {
        Map<Queue, Long> owned = new TreeMap<>();
        all(Owned.class).forEach(it -> owned.put(it.grant.queue, it.grant.token));
        return owned;
    }

    /** The same, each with whom its release would name. */
    List<HolderRow> holdings() {
        List<HolderRow> rows = new ArrayList<>();
        all(Owned.class).forEach(it -> rows.add(new HolderRow(it.grant.queue, it.grant.token, nextOf(it))));
        return rows;
    }

    List<Grant> working() {
        return grants(Working.class);
    }

    boolean isWorkingOn(Queue queue) {
        return states.get(queue) instanceof Working;
    }

    /** The grant of a queue that is worked on, or not yet released; null: there is none. */
    Grant grantOf(Queue queue) {
        Duty state = states.get(queue);
        return state instanceof Owned ? ((Owned) state).grant : null;
    }

    /** Whether a grant is worked on, or not yet released. */
    boolean owns(Grant grant) {
        Duty state = states.get(grant.queue);
        return state instanceof Owned && state.epoch() == grant.token;
    }

    List<Grant> revoking() {
        return grants(Revoking.class);
    }

    /** When the first revocation must be finished; null: none is under way. */
    Long deadline() {
        if (!isDeadlineKnown) {
            deadline = all(Revoking.class).stream().map(it -> it.deadline).min(Long::compare).orElse(null);
            isDeadlineKnown = true;
        }
        return deadline;
    }

    /** The same of these alone. */
    Long deadlineOf(Collection<Grant> grants) {
        return all(Revoking.class).stream()
                .filter(it -> grants.contains(it.grant))
                .map(it -> it.deadline)
                .min(Long::compare)
                .orElse(null);
    }

    /** Follows an assignment; what is revoked must be finished by the deadline. */
    Changes obey(Assignment record, long deadline) {
        Changes changes = new Changes();
        Set<Queue> unnamed = new TreeSet<>(states.keySet());
        unnamed.removeAll(record.queues());
        unnamed.removeIf(this::isSpared);
        unnamed.forEach(queue -> takeAway(queue, changes));
        record.give.forEach(row -> give(row, deadline, changes));
        for (HolderRow row : record.hold) {
            if (isNews(row.queue, row.epoch, changes)) {
                start(new Grant(row.queue, row.epoch, null, null), Outlook.told(row), changes);
            } else {
                rememberNext(row);
            }
        }
        for (HeirRow heir : record.inherit) {
            if (!isBegun(heir) && isNews(heir.queue, heir.epoch, changes)) {
                states.put(heir.queue, new Waiting(heir.epoch, heir.from));
                startIfNamed(heir.queue, changes);
            }
        }
        return changes;
    }

    /** Takes note of a release: it may name us, or end a grant of ours. */
    Changes hear(Release release) {
        Changes changes = new Changes();
        recall.hear(release);
        for (ReleaseRow row : release.rows) {
            if (release.life.equals(me)) {
                end(row.queue, row.epoch, changes);
            }
            if (row.next != null && me.equals(row.next.life)) {
                startByName(row.queue, new GrantRef(release.life, row.epoch), changes);
            }
            startIfNamed(row.queue, changes);
        }
        return changes;
    }

    /** The application has stopped working under revoked grants: releases them. */
    Changes finish(Map<Grant, Long> positions) {
        Changes changes = new Changes();
        positions.forEach((grant, position) -> {
            Duty state = states.get(grant.queue);
            // The token tells this grant from one of an earlier life that ends only now.
            if (state instanceof Revoking && state.epoch() == grant.token) {
                states.remove(grant.queue);
                isDeadlineKnown = false;
                changes.released.add(releaseOf((Owned) state, position));
            }
        });
        return changes;
    }

    /** Gives up, in good order, what has somebody who comes next. */
    Changes handOn(long deadline) {
        Changes changes = new Changes();
        for (Working state : all(Working.class)) {
            if (nextOf(state) != null) {
                revoke(state, deadline, changes);
            }
        }
        return changes;
    }

    /** Gives up everything, in good order; to nobody, if the queues are to be kept for us. */
    Changes revokeAll(long deadline, boolean keep) {
        Changes changes = new Changes();
        for (Working state : all(Working.class)) {
            revoke(keep ? state.with(Outlook.UNTOLD) : state, deadline, changes);
        }
        states.values().removeIf(it -> it instanceof Waiting);
        return changes;
    }

    Changes loseAll() {
        Changes changes = new Changes();
        for (Queue queue : new ArrayList<>(states.keySet())) {
            takeAway(queue, changes);
        }
        return changes;
    }

    /** Whether to act on a grant; what it replaces is dropped first. */
    private boolean isNews(Queue queue, long epoch, Changes changes) {
        if (epoch <= letGo.getOrDefault(queue, 0L)) {
            return false;
        }
        Duty state = states.get(queue);
        if (state instanceof Working && state.epoch() == epoch) {
            return false;
        }
        if (state instanceof Owned) {
            takeAway(queue, changes);
        }
        return true;
    }

    /** Whether a release has begun this under another epoch than a record promises. */
    private boolean isBegun(HeirRow heir) {
        Duty state = states.get(heir.queue);
        return state != null && state.epoch() != heir.epoch && isSpared(heir.queue);
    }

    /** Whether a record may be older than the release that has begun a grant; once for each. */
    private boolean isSpared(Queue queue) {
        Duty state = states.get(queue);
        if (!(state instanceof Working) || !((Working) state).isBegunByRelease()) {
            return false;
        }
        states.put(queue, ((Working) state).doubted());
        return true;
    }

    private void give(HolderRow row, long deadline, Changes changes) {
        if (row.epoch <= letGo.getOrDefault(row.queue, 0L)) {
            rememberNext(row); // being finished, or released already
            return;
        }
        Duty state = states.get(row.queue);
        if (state instanceof Working && state.epoch() == row.epoch) {
            revoke(((Working) state).with(Outlook.told(row)), deadline, changes);
            return;
        }
        end(row.queue, row.epoch, changes);
        // Granted by a record that was skipped, so never started: no ceremony.
        Grant skipped = new Grant(row.queue, row.epoch, null, null);
        changes.released.add(releaseOf(new Working(skipped, Outlook.told(row)), null));
    }

    private void rememberNext(HolderRow row) {
        Duty state = states.get(row.queue);
        if (state instanceof Owned && state.epoch() == row.epoch) {
            states.put(row.queue, ((Owned) state).with(Outlook.told(row)));
        }
    }

    private void revoke(Working state, long deadline, Changes changes) {
        Grant grant = state.grant;
        letGo.put(grant.queue, grant.token);
        states.put(grant.queue, new Revoking(grant, deadline, state.outlook));
        isDeadlineKnown = false;
        changes.revoked.add(grant);
    }

    /** Has no part in a queue any more under this epoch or a lower one (rule 2). */
    private void end(Queue queue, long epoch, Changes changes) {
        letGo.merge(queue, epoch, Long::max);
        Duty state = states.get(queue);
        if (state != null && state.epoch() <= epoch) {
            takeAway(queue, changes);
        }
    }

    private void start(Grant grant, Outlook outlook, Changes changes) {
        states.put(grant.queue, new Working(grant, outlook));
        changes.assigned.add(grant);
    }

    /** Starts on the first release of a grant if it names this life, whatever it was told. */
    private void startByName(Queue queue, GrantRef source, Changes changes) {
        ReleaseRow said = recall.first(queue, source);
        if (said == null || said.next == null || !me.equals(said.next.life)) {
            return;
        }
        long epoch = said.next.epoch;
        boolean isFollowing = source.epoch < epoch && epoch <= source.epoch + Limits.NAMED_AHEAD;
        if (!isFollowing || isOutdated(epoch, states.get(queue))) {
            return;
        }
        if (!isNews(queue, epoch, changes)) {
            return;
        }
        if (subscribes.test(queue.topic)) {
            begin(queue, epoch, said, source, changes);
        } else {
            end(queue, epoch, changes);
            changes.released.add(new ReleaseRow(queue, epoch, said.position, null));
        }
    }

    /** Whether a later grant of the queue is known already. */
    private static boolean isOutdated(long epoch, Duty state) {
        if (state instanceof Waiting) {
            return ((Waiting) state).source.epoch >= epoch;
        }
        return state != null && state.epoch() >= epoch;
    }

    private void startIfNamed(Queue queue, Changes changes) {
        Duty state = states.get(queue);
        if (!(state instanceof Waiting)) {
            return;
        }
        GrantRef source = ((Waiting) state).source;
        ReleaseRow said = recall.first(queue, source);
        if (said == null || said.next == null || said.next.epoch != state.epoch()) {
            return;
        }
        if (said.next.life == null || said.next.life.equals(me)) {
            begin(queue, state.epoch(), said, source, changes);
        }
    }

    /** Starts where the grant that was released has stopped. */
    private void begin(Queue queue, long epoch, ReleaseRow said, GrantRef source, Changes changes) {
        Grant grant = new Grant(queue, epoch, said.position, source.life.member);
        start(grant, Outlook.begunFrom(source), changes);
    }

    private ReleaseRow releaseOf(Owned state, Long position) {
        return new ReleaseRow(state.grant.queue, state.grant.token, position, nextOf(state));
    }

    /** Whom a release would name; null: nobody. */
    private Next nextOf(Owned state) {
        return state.outlook.named(me, state.grant.token, recall);
    }

    private void takeAway(Queue queue, Changes changes) {
        Duty state = Objects.requireNonNull(states.remove(queue));
        isDeadlineKnown = false;
        if (state instanceof Owned) {
            changes.lost.add(((Owned) state).grant);
        }
    }

    private List<Grant> grants(Class<? extends Owned> kind) {
        List<Grant> grants = new ArrayList<>();
        all(kind).forEach(it -> grants.add(it.grant));
        return grants;
    }

    private <D extends Duty> List<D> all(Class<D> kind) {
        List<D> found = new ArrayList<>();
        for (Duty state : states.values()) {
            if (kind.isInstance(state)) {
                found.add(kind.cast(state));
            }
        }
        return found;
    }
}
