package trimtab;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import trimtab.guard.Guard;
import trimtab.session.Action;
import trimtab.session.Ending;
import trimtab.session.MemberSession;
import trimtab.transport.KafkaTransport;

/**
 * What a session asks its member to do, done in its order, and its guard told before.
 *
 * <p>The guard hears of a grant before the application does, and of a release after Kafka has it: so what it
 * was told last may be released when the process is dead. Only the member comes here, with its lock.
 */
final class Errands {
    /** Whether to ask where the log ends: by the thread that polls. */
    boolean findEnd;
    /** How the session ended; null: it has not. */
    Ending ending;

    private final Guard guard;
    private final KafkaTransport transport;
    private final Teller teller;
    private final MemberListener listener;
    private final Watch watch;
    private final Clock clock;
    /** Which of some grants are the member's at that moment. */
    private final Function<Collection<Grant>, Ownership> owned;
    /** Those that were lost before they were told: that is not told either. Only the teller's thread comes to it. */
    private final Set<Grant> untold = new HashSet<>();

    Errands(
            Guard guard,
            KafkaTransport transport,
            Teller teller,
            MemberListener listener,
            Watch watch,
            Clock clock,
            Function<Collection<Grant>, Ownership> owned) {
        this.owned = owned;
        this.clock = clock;
        this.guard = guard;
        this.transport = transport;
        this.teller = teller;
        this.listener = listener;
        this.watch = watch;
    }

    /** Something was heard: perhaps it changes who comes next, and nothing else. */
    void react(MemberSession session, List<Action> actions) {
        guard.keep(session::holdings);
        actions.forEach(this::run);
    }

    /** Something has happened here; mostly nothing follows from it. */
    void perform(MemberSession session, List<Action> actions) {
        if (!actions.isEmpty()) {
            react(session, actions);
        }
    }

    /** The guard may have begun to watch by now. */
    void listen(MemberSession session) {
        if (guard.hasSpoken()) {
            guard.keep(session::holdings);
        }
    }

    private void run(Action action) {
        if (action instanceof Action.Send) {
            transport.send((Action.Send) action);
        } else if (action instanceof Action.FindEnd) {
            findEnd = true;
        } else if (action instanceof Action.Assigned) {
            teller.tell("onAssigned", () -> assign(((Action.Assigned) action).grants));
        } else if (action instanceof Action.Revoked) {
            teller.tell("onRevoked", () -> revoke(((Action.Revoked) action).grants));
        } else if (action instanceof Action.Lost) {
            Action.Lost lost = (Action.Lost) action;
            watch.lost(lost);
            teller.tell("onLost", () -> lose(lost));
        } else if (action instanceof Action.Unheard) {
            watch.relapsed((Action.Unheard) action, clock.now());
        } else if (action instanceof Action.Ended) {
            ending = ((Action.Ended) action).ending;
            watch.ended(ending);
        }
    }

    /** Of those that are owned still: others may work by now on what was lost before it had its turn. */
    private void assign(List<Grant> grants) {
        Set<Grant> mine = owned.apply(grants).grants;
        List<Grant> coming = grants.stream().filter(mine::contains).collect(Collectors.toList());
        grants.stream().filter(it -> !mine.contains(it)).forEach(untold::add);
        if (!coming.isEmpty()) {
            listener.onAssigned(coming);
        }
    }

    private void lose(Action.Lost lost) {
        List<Grant> known = lost.grants.stream().filter(it -> !untold.remove(it)).collect(Collectors.toList());
        if (!known.isEmpty()) {
            listener.onLost(known, lost.reason);
        }
    }

    /** Of those that are owned still: what was lost before it had its turn is told so, and only so. */
    private void revoke(List<Grant> grants) {
        Set<Grant> mine = owned.apply(grants).grants;
        List<Grant> leaving = grants.stream().filter(mine::contains).collect(Collectors.toList());
        if (!leaving.isEmpty()) {
            listener.onRevoked(leaving);
        }
    }
}
