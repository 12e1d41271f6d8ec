package trimtab.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
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

    /** How often to look whether a queue has left the client's table. */
    private static final long LOOK_MS = 5;
    /** How often to look whether the consumer is shut down: until that is seen nobody works on its queues. */
    private static final long IDLE_MS = 20;
    /**
     * How soon the client is reminded of a queue that it has not begun on: its broker was away, or had
     * locked the queue for somebody else. By itself it tries again after 20 s.
     */
    private static final long REMIND_MS = 1_000;
    /** Who has had no queue for so long may ask why. */
    private static final long IDLE_NS = 15_000_000_000L;

    private final Client client;
    private final MemberOptions options;
    private final Gate gate = new Gate(this::mayWork);
    private final Answers answers = new Answers();
    private final Departures departures;
    private final Routes routes;
    private final Stalls stalls;
    private final Alone alone;
    private final Sides sides;
    private final Granted granted;
    private final AllocateMessageQueueStrategy former;
    private final KafkaTransport kafka;
    private final Ahead ahead;
    private final AllocateMessageQueueAveragely averagely = new AllocateMessageQueueAveragely();
    private final Object news = new Object();
    private volatile Member member;
    private volatile boolean hasSaidThatNobodyAsked;
    private OwnOffsets offsets;

    Follower(Function<Gate, Client> made, MemberOptions options, Fallback fallback, boolean moves) {
        this.client = made.apply(gate);
        if (client.isRebalancedByBroker()) {
            throw new IllegalStateException("Trimtab.attach: " + client.whyNobodyAsked());
        }
        this.options = options;
        this.departures = new Departures(client, gate, answers);
        this.routes = new Routes(client);
        this.stalls = new Stalls(client);
        this.alone = new Alone(fallback, options.sessionTimeout());
        this.sides = new Sides(client, moves, options.sessionTimeout());
        this.granted = new Granted(client, departures, stalls, this::hurry);
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
        if (!client.isUnderWay()) {
            client.giveUp();
        }
        if (mine == null) {
            ahead.end();
            return;
        }
        mine.leave(Duration.ofSeconds(30)); // RocketMQ's own patience with a lock is 60
        if (!gate.isWorker()) { // its queue goes when it has come back
            mine.join(Duration.ofSeconds(60));
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
        if (queues.isEmpty()) {
            return List.of();
        }
        sides.see(queues.get(0).getTopic(), clientIds);
        boolean isAlone = alone.look(member);
        Side side = sides.side();
        AllocateMessageQueueStrategy rule = isAlone ? averagely : side == Side.THEIRS ? former : null;
        List<MessageQueue> share = rule == null
                ? granted.of(member, queues)
                : ruled(rule, group, clientId, queues, clientIds);
        if (!isAlone && side == Side.BOTH) {
            share.retainAll(former.allocate(group, clientId, queues, clientIds));
        }
        answers.told(queues.get(0).getTopic(), share);
        return share;
    }

    private OffsetStore over(OffsetStore kept) {
        return offsets = new OwnOffsets(kept, client, this::mayCommit);
    }

    /** By RocketMQ's own rule; what was dropped here goes first, and comes anew. */
    private List<MessageQueue> ruled(AllocateMessageQueueStrategy rule, String group, String clientId,
            List<MessageQueue> queues, List<String> clientIds) {
        List<MessageQueue> share = new ArrayList<>(rule.allocate(group, clientId, queues, clientIds));
        if (share.removeIf(it -> client.hasDropped(Client.named(it)))) {
            client.wake();
        }
        return share;
    }

    /** Joins at the first question: only then the client knows by what name it goes. */
    private synchronized void begin(String group, String clientId) {
        List<String> topics = client.topics();
        if (member == null) {
            Obedience obedience = new Obedience(client, departures, sides, this::hurry);
            member = new Member(group, clientId, topics, options, obedience, kafka);
            alone.begin();
            member.start();
            ProcessEnd end = new ProcessEnd(client, member);
            Thread keeper = new Thread(() -> {
                try {
                    keep();
                } finally {
                    end.forget();
                }
            }, "trimtab-rocketmq");
            keeper.setDaemon(true); // the member's thread stays until it has left
            keeper.start();
        }
        member.subscribe(topics);
        answers.keepTo(topics);
        sides.keepTo(topics);
    }

    /** Whether its broker may be told how far it has come with a queue: until it is released, and by the clock. */
    private boolean mayCommit(MessageQueue queue) {
        boolean isByGrants = member != null && !alone.is() && sides.side() == Side.OURS;
        return !isByGrants || grant(Client.named(queue)).isPresent() || client.isBroadcasting();
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

    /** Looks after queues that leave, and after the consumer's end. */
    private void keep() {
        boolean hasShutDown = false;
        boolean hasStalled = false;
        long remindAt = System.nanoTime();
        long idleSince = remindAt;
        try {
            while (member.ending() == null) {
                if (client.isShutDown() && !hasShutDown) {
                    hasShutDown = true;
                    answers.forget(); // it asks no more
                    client.giveUp();
                    member.leave(Duration.ZERO);
                }
                if (stalls.hasLeft() && !hasStalled) {
                    hasStalled = true;
                    member.leave(options.revocationTimeout());
                }
                departures.look(member::finish, sides.side() == Side.THEIRS);
                if (System.nanoTime() - remindAt > REMIND_MS * 1_000_000) {
                    remindAt = System.nanoTime();
                    Set<Queue> grants = member.assignment().stream().map(it -> it.queue).collect(Collectors.toSet());
                    boolean isWhole = grants.stream().allMatch(it -> client.has(it) && !client.hasDropped(it));
                    if (!isWhole && sides.side() == Side.OURS) {
                        client.wake();
                    }
                    routes.look(grants);
                    idleSince = grants.isEmpty() || idleSince == 0 ? idleSince : 0;
                    if (idleSince != 0 && remindAt - idleSince > IDLE_NS && member.isAnswered()) {
                        idleSince = 0;
                        LOG.info("the controller has given this consumer no queue: `trimtab groups explain {}` says"
                                + " why, for instance that it does not know the topics", client.group());
                    }
                }
                boolean wasAlone = alone.is();
                if (alone.look(member) != wasAlone || sides.look(member.isAnswered())) {
                    client.wake();
                }
                rest();
            }
            sides.end();
            if (member.ending() != Ending.LEFT) {
                LOG.error("{}: the consumer works on nothing any more, until it is started anew",
                        member.ending() == Ending.REPLACED
                                ? "another process has taken its client id: give each its own by setInstanceName"
                                : "its member has failed");
            }
            client.wake(); // whatever ended it, nothing is ours any more
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void rest() throws InterruptedException {
        synchronized (news) {
            news.wait(departures.isEmpty() ? IDLE_MS : LOOK_MS);
        }
    }

    private void hurry() {
        synchronized (news) {
            news.notifyAll();
        }
    }
}
