package trimtab.rocketmq;

import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumerScheduleService;
import org.apache.rocketmq.client.consumer.MessageQueueListener;
import org.apache.rocketmq.client.consumer.PullTaskCallback;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;

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
    /**
     * RocketMQ 5 rebalances at most once a second, unless this says otherwise; with that, each queue
     * would stand still for up to two seconds when it moves.
     */
    private static final String FLOOR = "rocketmq.client.rebalance.minInterval";
    private static final String FLOOR_MS = "50";

    /**
     * Attaches a consumer that has its listener and was not started yet. An offset store of its own it has by now.
     *
     * @throws IllegalStateException it has no listener, was started or attached before, or lets its broker rebalance
     */
    public static Trimtab attach(DefaultMQPushConsumer consumer, MemberOptions options) {
        return attach(consumer, options, Fallback.NONE);
    }

    /** The same, with what to do while no controller answers. */
    public static Trimtab attach(
            DefaultMQPushConsumer consumer, MemberOptions options, Fallback fallback) {
        return attached(gate -> new PushClient(consumer, gate), options, fallback, false);
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
        return attached(gate -> new LiteClient(consumer, gate), options, fallback, false);
    }

    /**
     * Attaches a pull consumer that was not started yet. Its {@link MessageQueueListener} is to return when nobody
     * works any more on what it does not name; tasks of a {@link MQPullConsumerScheduleService} are waited for
     * if they were {@link #guarded}. {@link #close} it before you shut the consumer down, which tells the listener nothing.
     *
     * @throws IllegalStateException it was started before, or is of a release that is not known
     */
    public static Trimtab attach(DefaultMQPullConsumer consumer, MemberOptions options) {
        return attach(consumer, options, Fallback.NONE);
    }

    /** The same, with what to do while no controller answers. */
    public static Trimtab attach(
            DefaultMQPullConsumer consumer, MemberOptions options, Fallback fallback) {
        return attached(gate -> new PullClient(consumer, gate), options, fallback, false);
    }

    /**
     * Attaches a consumer of a group in which not all are attached yet, or any more: as long as one is not, all share by
     * the strategy that the consumer has, as they did before. When the last one has gone, all obey the controller, three
     * seconds later. All attached ones must be attached so. Its instance name gets {@code #trimtab} at its end, by which the
     * others know it: set one of your own before. One that broadcasts is left alone.
     *
     * @throws IllegalStateException as {@code attach}
     */
    public static Trimtab attachMoving(DefaultMQPushConsumer consumer, MemberOptions options) {
        return attached(gate -> new PushClient(consumer, gate), options, Fallback.NONE, true);
    }

    /** The same of a lite pull consumer. */
    public static Trimtab attachMoving(DefaultLitePullConsumer consumer, MemberOptions options) {
        return attached(gate -> new LiteClient(consumer, gate), options, Fallback.NONE, true);
    }

    /** The same of a pull consumer. */
    public static Trimtab attachMoving(DefaultMQPullConsumer consumer, MemberOptions options) {
        return attached(gate -> new PullClient(consumer, gate), options, Fallback.NONE, true);
    }

    private final Follower follower;

    private Trimtab(Follower follower) {
        this.follower = follower;
    }

    private static Trimtab attached(
            Function<Gate, Client> made, MemberOptions options, Fallback fallback, boolean moves) {
        if (System.getProperty(FLOOR) == null) {
            System.setProperty(FLOOR, FLOOR_MS); // read when the first client of the process starts
        }
        return new Trimtab(new Follower(made, options, fallback, moves));
    }

    /** What its share is decided by at this moment. Any thread may ask, for instance a health check. */
    public State state() {
        return follower.state();
    }

    /** What to do when the client of a push consumer stops asking for messages of a queue. Default: to report it. */
    public Trimtab onStall(Stall policy) {
        if (!follower.isPushed()) {
            throw new IllegalStateException("Trimtab.onStall: who polls or pulls by itself may have its reasons");
        }
        follower.stalls().follow(policy);
        return this;
    }

    /** How often that has happened: for a metric. */
    public long stalls() {
        return follower.stalls().count();
    }

    /** A task that is not begun for a queue that is not this consumer's, and that is waited for when one is taken. */
    public PullTaskCallback guarded(PullTaskCallback task) {
        return (queue, context) -> follower.work(follower.named(queue), () -> task.doPullTask(queue, context));
    }

    /**
     * Whether the application may go on with what it has in hand of a queue, at this moment: ask before each
     * message of what you have polled, if a process may be frozen. A listener is not called without. With or without
     * the consumer's namespace. In a listener ask for {@code context.getMessageQueue()}: a message that is tried again
     * names the topic that it was sent to, and comes from another one.
     */
    public boolean holds(MessageQueue queue) {
        return follower.isOurs(follower.named(queue)) || token(queue).isPresent();
    }

    /**
     * The token under which a queue is this consumer's at this moment; empty: it is not. Ask when you begin on a
     * message, and write it with your effects: it grows with every owner, so a store that keeps the highest one can
     * refuse a process that was frozen at work. Of which queue, see {@link #holds}.
     */
    public OptionalLong token(MessageQueue queue) {
        return follower.grant(follower.named(queue))
                .map(it -> OptionalLong.of(it.token))
                .orElseGet(OptionalLong::empty);
    }

    /**
     * Hands all queues on in good order, and waits for that. Then shut the consumer down. If it is the thread that
     * polls, or that one has ended, what was given last goes to others: commit before, if it is done. In a listener, or in a task that is
     * {@link #guarded}, it waits for nothing: the queue that this thread works on can go only when it has come back.
     */
    @Override
    public void close() throws InterruptedException {
        follower.close();
    }
}
