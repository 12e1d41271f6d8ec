package trimtab.rocketmq;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragely;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.common.message.MessageQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Grant;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.protocol.Queue;
import trimtab.rocketmq.Sides.Side;
import trimtab.session.Ending;
import trimtab.transport.KafkaTransport;

/**
 * A consumer of RocketMQ's and its member: from the first question for its share to its end.
 *
 * <p>The client's own thread asks, and works on what it is answered. Another one sees to what leaves.
 */
final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** So long a close waits; what is in hand is given up by the member before. */
    private static final Duration CLOSE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Client client;
    private final MemberOptions options;
    private final Gate gate = new Gate(this::mayWork);
    private final Answers answers = new Answers();
    private final Departures departures;
    private final Stalls stalls;
    private final Alone alone;
    private final Sides sides;
    private final Granted granted;
    private final Ruled ruled;
    private final Keeper keeper;
    private final AllocateMessageQueueStrategy former;
    private final KafkaTransport kafka;
    private final Ahead ahead;
    private final AllocateMessageQueueAveragely averagely = new AllocateMessageQueueAveragely();
    private volatile Member member;
    private volatile boolean hasSaidThatNobodyAsked;
    private boolean hasSaidThatItIsRefused;
    private OwnOffsets offsets;

    Follower(Function<Gate, Client> made, MemberOptions options, Fallback fallback, boolean moves) {
        this.client = made.apply(gate);
        if (client.isRebalancedByBroker()) {
            throw new IllegalStateException("Trimtab.attach: " + client.whyNobodyAsked());
        }
        this.options = options;
        this.departures = new Departures(client, gate, answers);
        this.stalls = new Stalls(client);
        this.alone = new Alone(fallback, options.sessionTimeout());
        this.sides = new Sides(client, moves, options.sessionTimeout());
        this.ruled = new Ruled(client);
        this.keeper = new Keeper(
                client, departures, answers, stalls, alone, sides, ruled, options.revocationTimeout());
        this.granted = new Granted(client, gate, departures, stalls, options.revocationTimeout(), keeper::hurry);
        this.former = client.strategy();
        this.kafka = options.transport();
        this.ahead = new Ahead(client, kafka);
        client.install(this::over, new TrimtabStrategy(this));
        sides.tell(client); // not before: who could not be attached must not look as if
        ahead.begin();
    }

    /** Does a piece of work on a queue, if it is this consumer's; it is waited for when the queue is taken. */
    void work(Queue queue, Runnable work) {
        if (gate.begin(queue)) {
            try {
                work.run();
            } finally {
                client.done(queue);
                gate.end(queue);
            }
        }
    }

    /** Whether RocketMQ's client pulls by itself, and calls a listener. */
    boolean isPushed() {
        return client instanceof PushClient;
    }

    Stalls stalls() {
        return stalls;
    }

    State state() {
        Member mine = member;
        Ending ending = mine == null ? null : mine.ending();
        if (ending == Ending.LEFT && stalls.hasLeft()) {
            return State.STALLED;
        }
        if (ending != null) {
            return State.valueOf(ending.name());
        }
        if (client.isBroadcasting()) {
            return State.BROADCASTING;
        }
        if (alone.is()) {
            return State.ALONE;
        }
        if (sides.side() != Side.OURS) {
            return State.MOVING;
        }
        return mine != null && mine.isAnswered() ? State.OBEYING : State.WAITING;
    }

    /** A queue as the application names it. */
    Queue named(MessageQueue queue) {
        return client.whole(queue);
    }

    /** The grant of a queue that is this consumer's at this moment, by the clock; it may be one that is to go. */
    Optional<Grant> grant(Queue queue) {
        Member mine = member;
        return mine == null || sides.side() != Side.OURS ? Optional.empty() : mine.grant(queue);
    }

    /** Hands all queues on in good order, and waits for that, unless that would wait for this thread. */
    void close() throws InterruptedException {
        Member mine = member;
        giveUpInVain();
        if (mine == null) {
            ahead.end();
            return;
        }
        boolean hadEnded = mine.ending() != null;
        mine.leave(Duration.ofSeconds(30)); // RocketMQ's own patience with a lock is 60
        if (!gate.isWorker() && !hasLeftInTime(mine) && !hadEnded) { // a worker's queue goes when it has come back
            LOG.warn("{}: close() has not handed on all queues: what somebody has in hand was not finished in time."
                    + " End your own threads before you call it, or call it in the one that polls", client.group());
        }
    }

    private boolean hasLeftInTime(Member mine) throws InterruptedException {
        long until = System.nanoTime() + CLOSE.toNanos();
        while (!mine.join(LOOK)) {
            Ending ending = mine.ending();
            if ((ending != null && ending != Ending.LEFT) || System.nanoTime() - until > 0) {
                return false;
            }
            giveUpInVain(); // the thread that polled may end only now
        }
        return true;
    }

    /** What nobody can come back with is not waited for. */
    private void giveUpInVain() {
        if (!client.isUnderWay()) {
            client.giveUp();
        }
    }

    /** What the client is to work on of one topic, which all of these queues are of. */
    List<MessageQueue> share(
            String group, String clientId, List<MessageQueue> queues, List<String> clientIds) {
        if (!offsets.areUsed()) {
            return List.of(); // and it is no member: others work on its queues
        }
        begin(group, clientId);
        client.asks();
        if (queues.isEmpty() || member == null) {
            return List.of();
        }
        sides.see(queues.get(0).getTopic(), clientId, clientIds);
        boolean isAlone = alone.look(member);
        Side side = sides.side();
        AllocateMessageQueueStrategy rule = isAlone ? averagely : side == Side.THEIRS ? former : null;
        String topic = queues.get(0).getTopic();
        ruled.forget(topic);
        List<MessageQueue> share = rule == null
                ? granted.of(member, queues)
                : ruled.of(rule, group, clientId, queues, clientIds);
        if (!isAlone && side == Side.BOTH) {
            share.retainAll(ruled.whole(former, group, clientId, queues, clientIds));
        }
        answers.told(topic, share);
        if (client.isOrderly()) { // it may be at work on what it is to let go, and then RocketMQ keeps that, as dropped
            Set<MessageQueue> kept = new HashSet<>(share);
            client.queuesOf(topic).stream().filter(it -> !kept.contains(it)).forEach(it -> client.drop(Client.named(it)));
        }
        return share;
    }

    private OffsetStore over(OffsetStore kept) {
        return offsets = new OwnOffsets(kept, client, this::mayCommit, this::isForgotten);
    }

    /** Joins at the first question: only then the client knows by what name it goes. */
    private synchronized void begin(String group, String clientId) {
        List<String> topics = client.topics();
        try {
            if (member == null) {
                join(group, clientId, topics);
            }
            keeper.follow(member, topics);
        } catch (IllegalArgumentException e) { // RocketMQ allows names and numbers that trimtab does not
            if (!hasSaidThatItIsRefused) {
                hasSaidThatItIsRefused = true;
                LOG.error("{}: nothing is worked on, because this consumer cannot be a member: {}", group, e.getMessage());
            }
        }
    }

    private void join(String group, String clientId, List<String> topics) {
        Obedience obedience = new Obedience(client, departures, sides, keeper::hurry);
        member = new Member(group, clientId, topics, options, obedience, kafka);
        try {
            alone.begin();
            member.start();
            ProcessEnd end = new ProcessEnd(client, member);
            keeper.start(member, end::forget);
        } catch (Throwable e) { // a thread that could not be started: it would be a member that nobody looks after
            member.fail("the consumer's member could not be started", e);
            sides.end(); // no keeper does it
            client.wake();
        }
    }

    /** Whether its broker may be told how far it has come with a queue: until it is released, and by the clock. */
    private boolean mayCommit(MessageQueue queue) {
        return !isByGrants() || isGranted(queue) || client.isBroadcasting();
    }

    private boolean isGranted(MessageQueue queue) {
        return isByGrants() && grant(Client.named(queue)).isPresent();
    }

    /** Of a topic that was unsubscribed RocketMQ removes the queues at once, and sends no offset. */
    private boolean isForgotten(MessageQueue queue) {
        return isGranted(queue) && !client.topics().contains(queue.getTopic());
    }

    private boolean isByGrants() {
        return member != null && !alone.is() && sides.side() == Side.OURS;
    }

    /** Whether the listener may begin; if nobody has ever asked for the queue, it says why. */
    private boolean mayWork(Queue queue) {
        if (member == null && !client.isBroadcasting() && !hasSaidThatNobodyAsked) {
            hasSaidThatNobodyAsked = true;
            LOG.error("nothing is worked on: {}", client.whyNobodyAsked());
        }
        return isOurs(queue);
    }

    boolean isOurs(Queue queue) {
        Member mine = member;
        if (mine == null) {
            return client.isBroadcasting();
        }
        Side side = sides.side();
        boolean isByGrants = !alone.is() && side != Side.THEIRS;
        return (isByGrants && side == Side.OURS || answers.name(queue)) && (!isByGrants || mine.holds(queue));
    }
}
