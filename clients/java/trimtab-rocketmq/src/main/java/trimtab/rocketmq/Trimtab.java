package trimtab.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragely;
import org.apache.rocketmq.common.message.MessageQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Grant;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.protocol.Queue;
import trimtab.session.Ending;
import trimtab.transport.KafkaTransport;

/**
 * Makes a consumer of RocketMQ a member of its group, whose queues the controller shares out.
 *
 * <pre>
 * consumer.registerMessageListener(listener);
 * Trimtab.attach(consumer, MemberOptions.of("kafka-1:9092"));
 * consumer.start();
 * </pre>
 *
 * <p>A push consumer has its listener before; a {@link DefaultLitePullConsumer lite pull consumer} needs none.
 * All consumers of the group must do so: the queues of one that does not have two owners. It joins when
 * the consumer starts, under its client id, and leaves when the consumer is shut down. A consumer that
 * broadcasts asks nobody, and is left alone.
 */
public final class Trimtab implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    /**
     * RocketMQ 5 rebalances at most once a second, unless this says otherwise; with that, each queue
     * would stand still for up to two seconds when it moves.
     */
    private static final String FLOOR = "rocketmq.client.rebalance.minInterval";
    private static final String FLOOR_MS = "50";

    /** How often to look whether a queue has left the client's table. */
    private static final long LOOK_MS = 5;
    /** How often to look whether the consumer is shut down: until that is seen nobody works on its queues. */
    private static final long IDLE_MS = 20;
    /**
     * How soon the client is reminded of a queue that it has not begun on: its broker was away, or had
     * locked the queue for somebody else. By itself it tries again after 20 s.
     */
    private static final long REMIND_MS = 1_000;

    private final Client client;
    private final MemberOptions options;
    private final Fallback fallback;
    private final Gate gate = new Gate(this::isOurs);
    private final Answers answers = new Answers();
    private final Departures departures;
    private final Routes routes;
    private final KafkaTransport kafka;
    private final Ahead ahead;
    private final AllocateMessageQueueAveragely averagely = new AllocateMessageQueueAveragely();
    private final Object news = new Object();
    private volatile Member member;
    private long unansweredSince;
    private volatile boolean alone;
    private volatile boolean hasSaidThatNobodyAsked;

    private Trimtab(Function<Gate, Client> made, MemberOptions options, Fallback fallback) {
        this.client = made.apply(gate);
        if (client.isRebalancedByBroker()) {
            throw new IllegalStateException("Trimtab.attach: " + client.whyNobodyAsked());
        }
        this.options = options;
        this.fallback = fallback;
        this.departures = new Departures(client, gate, answers);
        this.routes = new Routes(client);
        this.kafka = options.transport();
        this.ahead = new Ahead(client, kafka);
        if (System.getProperty(FLOOR) == null) {
            System.setProperty(FLOOR, FLOOR_MS); // read when the first client of the process starts
        }
    }

    /**
     * Attaches a consumer that has its listener and was not started yet.
     *
     * @throws IllegalStateException it has no listener, or lets its broker rebalance
     */
    public static Trimtab attach(DefaultMQPushConsumer consumer, MemberOptions options) {
        return attach(consumer, options, Fallback.NONE);
    }

    /** The same, with what to do while no controller answers. */
    public static Trimtab attach(
            DefaultMQPushConsumer consumer, MemberOptions options, Fallback fallback) {
        Trimtab trimtab = new Trimtab(gate -> new PushClient(consumer), options, fallback);
        new Listeners(trimtab.gate, trimtab.client).guard(consumer);
        consumer.setOffsetStore(new OwnOffsets(consumer.getOffsetStore(), trimtab.client, trimtab::mayCommit));
        consumer.setAllocateMessageQueueStrategy(new TrimtabStrategy(trimtab));
        trimtab.ahead.begin();
        return trimtab;
    }

    /**
     * Attaches a lite pull consumer that was not started yet, and subscribes. One thread polls it: to come back
     * says that what it was given is done.
     *
     * @throws IllegalStateException it was started before, or is of a release that is not known
     */
    public static Trimtab attach(DefaultLitePullConsumer consumer, MemberOptions options) {
        return attach(consumer, options, Fallback.NONE);
    }

    /** The same, with what to do while no controller answers. */
    public static Trimtab attach(
            DefaultLitePullConsumer consumer, MemberOptions options, Fallback fallback) {
        Trimtab trimtab = new Trimtab(gate -> new LiteClient(consumer, gate), options, fallback);
        consumer.setOffsetStore(new OwnOffsets(consumer.getOffsetStore(), trimtab.client, trimtab::mayCommit));
        consumer.setAllocateMessageQueueStrategy(new TrimtabStrategy(trimtab));
        trimtab.ahead.begin();
        return trimtab;
    }

    /** What its share is decided by at this moment. Any thread may ask, for instance a health check. */
    public State state() {
        Member mine = member;
        Ending ending = mine == null ? null : mine.ending();
        if (ending != null) {
            return State.valueOf(ending.name());
        }
        if (client.isBroadcasting()) {
            return State.BROADCASTING;
        }
        if (alone) {
            return State.ALONE;
        }
        return mine != null && mine.isAnswered() ? State.OBEYING : State.WAITING;
    }

    /**
     * Whether the application may go on with what it has in hand of a queue, at this moment: ask before each
     * message of what you have polled, if a process may be frozen. A listener is not called without.
     */
    public boolean holds(MessageQueue queue) {
        return isOurs(Client.named(queue)) || token(queue).isPresent();
    }

    /**
     * The token under which a queue is this consumer's at this moment; empty: it is not. Ask when you begin on a
     * message, and write it with your effects: it grows with every owner, so a store that keeps the highest one can
     * refuse a process that was frozen at work.
     */
    public OptionalLong token(MessageQueue queue) {
        Queue named = Client.named(queue);
        Member mine = member;
        return mine == null
                ? OptionalLong.empty()
                : mine.unreleased().stream().filter(it -> it.queue.equals(named)).mapToLong(it -> it.token).findAny();
    }

    /**
     * Hands all queues on in good order, and waits for that. Then shut the consumer down. If it is the thread that
     * polls, what it was given last goes to others: commit before, if it is done.
     */
    @Override
    public void close() throws InterruptedException {
        Member mine = member;
        if (!client.isUnderWay()) {
            client.giveUp();
        }
        if (mine == null) {
            ahead.end();
        } else {
            mine.leave(Duration.ofSeconds(30)); // RocketMQ's own patience with a lock is 60
            mine.join(Duration.ofSeconds(60));
        }
    }

    /** What the client is to work on of one topic, which all of these queues are of. */
    List<MessageQueue> share(
            String group, String clientId, List<MessageQueue> queues, List<String> clientIds) {
        begin(group, clientId);
        if (queues.isEmpty()) {
            return List.of();
        }
        String topic = queues.get(0).getTopic();
        Set<Queue> mine = new HashSet<>();
        List<Grant> grants = client.keepsUntilSettled() ? member.unreleased() : member.assignment();
        grants.forEach(it -> mine.add(it.queue));
        mine.removeAll(departures.settled());
        List<MessageQueue> share = new ArrayList<>();
        boolean askAgain = false;
        if (worksAlone()) {
            share.addAll(averagely.allocate(group, clientId, queues, clientIds));
        } else {
            Set<MessageQueue> known = new LinkedHashSet<>(queues);
            known.addAll(client.queuesOf(topic)); // a name server that was started anew learns its brokers one by one
            for (MessageQueue queue : known) {
                Queue named = Client.named(queue);
                if (mine.contains(named)) {
                    if (client.hasDropped(named) && (!client.keepsUntilSettled() || member.holds(named))) {
                        client.note(named);
                        askAgain = true; // it goes now, and comes anew; what is taken goes when it is settled
                    } else {
                        share.add(queue);
                    }
                }
            }
        }
        Set<Queue> told = new HashSet<>();
        share.forEach(it -> told.add(Client.named(it)));
        answers.told(topic, told);
        if (askAgain) {
            client.wake();
        }
        return share;
    }

    /** Joins at the first question: only then the client knows by what name it goes. */
    private synchronized void begin(String group, String clientId) {
        List<String> topics = client.topics();
        if (member == null) {
            Obedience obedience = new Obedience(client, departures, this::hurry);
            member = new Member(group, clientId, topics, options, obedience, kafka);
            unansweredSince = System.nanoTime();
            member.start();
            Thread keeper = new Thread(this::keep, "trimtab-rocketmq");
            keeper.setDaemon(true); // the member's thread stays until it has left
            keeper.start();
        }
        member.subscribe(topics);
        answers.keepTo(topics);
    }

    /** Whether its broker may be told how far it has come with a queue: until it is released, and by the clock. */
    private boolean mayCommit(MessageQueue queue) {
        return member == null || alone || token(queue).isPresent() || client.isBroadcasting();
    }

    private boolean isOurs(Queue queue) {
        Member mine = member;
        if (client.isBroadcasting()) {
            return true;
        }
        if (mine == null) { // it has a queue, and has never asked for any
            if (!hasSaidThatNobodyAsked) {
                hasSaidThatNobodyAsked = true;
                LOG.error("nothing is worked on: {}", client.whyNobodyAsked());
            }
            return false;
        }
        return alone ? answers.name(queue) : mine.holds(queue);
    }

    /** Whether it was told to help itself, and no controller has answered for a session. */
    private synchronized boolean worksAlone() {
        long now = System.nanoTime();
        if (member.ending() != null) {
            alone = false; // it was answered: it is to work on nothing
            return false;
        }
        if (member.isAnswered()) {
            unansweredSince = now;
        }
        boolean isLong = now - unansweredSince > options.sessionTimeout().toNanos();
        boolean should = fallback == Fallback.AVG && isLong;
        if (should != alone) {
            LOG.warn(should
                    ? "no controller answers: this consumer takes its share by AVG (fallback=AVG),"
                            + " and queues may have two owners"
                    : "the controller answers again: this consumer obeys it");
            alone = should;
        }
        return alone;
    }

    /** Looks after queues that leave, and after the consumer's end. */
    private void keep() {
        boolean hasLeft = false;
        long remindAt = System.nanoTime();
        try {
            while (member.ending() == null) {
                if (client.isShutDown() && !hasLeft) {
                    hasLeft = true;
                    answers.forget(); // it asks no more
                    client.giveUp();
                    member.leave(Duration.ZERO);
                }
                departures.look(member::finish);
                if (System.nanoTime() - remindAt > REMIND_MS * 1_000_000) {
                    remindAt = System.nanoTime();
                    Set<Queue> granted = member.assignment().stream().map(it -> it.queue).collect(Collectors.toSet());
                    if (!granted.stream().allMatch(client::has)) {
                        client.wake();
                    }
                    routes.look(granted);
                }
                boolean wasAlone = alone;
                if (worksAlone() != wasAlone) {
                    client.wake();
                }
                synchronized (news) {
                    news.wait(departures.isEmpty() ? IDLE_MS : LOOK_MS);
                }
            }
            if (member.ending() != Ending.LEFT) {
                LOG.error("{}: the consumer works on nothing any more, until it is started anew",
                        member.ending() == Ending.REPLACED
                                ? "another process has taken its client id"
                                : "its member has failed");
            }
            client.wake(); // whatever ended it, nothing is ours any more
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hurry() {
        synchronized (news) {
            news.notifyAll();
        }
    }
}
