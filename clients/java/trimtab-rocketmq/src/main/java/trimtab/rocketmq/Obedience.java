package trimtab.rocketmq;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import trimtab.Grant;
import trimtab.MemberListener;
import trimtab.protocol.Queue;
import trimtab.session.LossReason;

/** Does what the controller says: it has the client look, and keeps account of what leaves. */
final class Obedience implements MemberListener {
    private final Client client;
    private final Departures departures;
    private final Sides sides;
    private final Locks locks;
    /** Has the departures looked at soon. */
    private final Runnable hurry;

    Obedience(Client client, Departures departures, Sides sides, Runnable hurry) {
        this.client = client;
        this.departures = departures;
        this.sides = sides;
        this.locks = new Locks(client);
        this.hurry = hurry;
    }

    @Override
    public void onAssigned(List<Grant> grants) {
        client.wake(); // first: a broker that does not answer is waited for, and others have queues of ours, too
        if (client.isOrderly() && sides.side() == Sides.Side.OURS) { // else the lock is whose the queue is by their rule
            Map<String, List<Queue>> byFormer = new TreeMap<>();
            grants.stream().filter(it -> it.formerOwner != null).forEach(it ->
                    byFormer.computeIfAbsent(it.formerOwner, key -> new ArrayList<>()).add(it.queue));
            byFormer.forEach(locks::take);
            client.wake();
        }
    }

    @Override
    public void onRevoked(List<Grant> grants) {
        departures.begin(grants);
        client.wake();
        hurry.run();
    }

    @Override
    public void onLost(List<Grant> grants, LossReason reason) {
        departures.forget(grants);
        if (sides.side() != Sides.Side.THEIRS) { // it does not work by grants
            grants.forEach(it -> client.forsake(it.queue));
        }
        client.wake();
    }
}
