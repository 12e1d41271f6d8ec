package trimtab.rocketmq;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.consumer.MQConsumerInner;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.UtilAll;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.protocol.Queue;

/**
 * What we need of RocketMQ's own client: its table of queues, and its word that they change.
 *
 * <p>All of it is there in 4.9 and in 5, under the same names. Only the client's own thread adds and
 * removes queues; we drop what must stop at once, and wake that thread.
 */
abstract class Client {
    /** What was dropped here; who has none of it any more remembers none. */
    private static final Set<ProcessQueue> DROPPED =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    private final ClientConfig consumer;
    private final MQConsumerInner inner;

    Client(ClientConfig consumer, MQConsumerInner inner) {
        this.consumer = consumer;
        this.inner = inner;
    }

    /** Refuses a consumer that works already, or is attached: it would have two who say what it works on. */
    static void demandNew(ServiceState state, AllocateMessageQueueStrategy strategy) {
        if (state != ServiceState.CREATE_JUST) {
            throw new IllegalStateException("Trimtab.attach: the consumer was started before");
        }
        if (strategy instanceof TrimtabStrategy) {
            throw new IllegalStateException("Trimtab.attach: the consumer is attached already");
        }
    }

    /** Has it say in its id that it is attached. */
    void mark() {
        Sides.mark(consumer);
    }

    /** What it shares queues by. */
    abstract AllocateMessageQueueStrategy strategy();

    /** Lays our offsets over its own, and our strategy, before it starts. */
    abstract void install(UnaryOperator<OffsetStore> over, AllocateMessageQueueStrategy strategy);

    /** It starts, and takes what it was given until now: later it would take no other listener. */
    void starts() {
        // Only a listener that RocketMQ calls has to be behind the gate.
    }

    /** Its own thread asks for its share, and will do then as it is answered. */
    void asks() {
        // Only who pulls by itself may have another listener by now.
    }

    abstract ServiceState state();

    /** What all clients of the process share; null before the start. */
    abstract MQClientInstance shared();

    abstract RebalanceImpl rebalance();

    abstract OffsetStore offsets();

    /** Whether its listener takes the messages of each queue in order, under a lock of the broker's. */
    boolean isOrderly() {
        return false; // only a push consumer's may
    }

    /** Why it may have a queue, and has never asked its strategy for any. */
    abstract String whyNobodyAsked();

    /** Whether a queue that is taken from it stays its share until {@link #settle}. */
    boolean keepsUntilSettled() {
        return false;
    }

    /** Nobody works on a queue any more that is taken: has the broker know how far it was worked on. */
    void settle(Queue queue) {
        // mostly it is sent when the queue leaves the table
    }

    /** A queue has left its table, and is about to be another's. */
    void left(Queue queue) {
        if (offsets() instanceof OwnOffsets) {
            ((OwnOffsets) offsets()).left(named(queue));
        }
    }

    /** A queue was worked on as far as that. */
    void reached(Queue queue, long offset) {
        // Only who works on a queue after the client has removed it, and forgotten how far it was, need know.
    }

    /** A piece of work on a queue is done, which may have left its table meanwhile. */
    void done(Queue queue) {
        // Only who pulls by itself works on a queue without the client's knowledge.
    }

    /** Whether what is in hand can be finished while this thread waits for that. */
    boolean isUnderWay() {
        return true;
    }

    /** What is in hand is not waited for any more, and not done. */
    void giveUp() {
        // a listener that is called by RocketMQ ends by itself
    }

    /** Whether its name server has answered. */
    boolean knowsQueues() {
        return !rebalance().getTopicSubscribeInfoTable().isEmpty();
    }

    String group() {
        return inner.groupName();
    }

    /** Whether each consumer of the group works on all queues: then it asks no strategy. */
    boolean isBroadcasting() {
        return "BROADCASTING".equals(String.valueOf(setting("getMessageModel")));
    }

    /** Whether its broker says what it works on: then it asks no strategy. 4.9 knows nothing of it. */
    boolean isRebalancedByBroker() {
        return Boolean.FALSE.equals(setting("isClientRebalance"));
    }

    /**
     * Where it begins on a queue for which its broker has no offset, as RocketMQ chooses it; -1: wherever others do, at
     * the first message, or where the application says.
     */
    long start(MessageQueue queue) throws MQClientException {
        Object where = setting("getConsumeFromWhere");
        boolean isByTime = where == ConsumeFromWhere.CONSUME_FROM_TIMESTAMP;
        boolean isForRetries = queue.getTopic().startsWith(MixAll.RETRY_GROUP_TOPIC_PREFIX);
        if (where == null || where == ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET || (isForRetries && !isByTime)) {
            return -1;
        }
        if (isByTime && !isForRetries) {
            String time = (String) setting("getConsumeTimestamp");
            return shared().getMQAdminImpl()
                    .searchOffset(queue, UtilAll.parseDate(time, UtilAll.YYYYMMDDHHMMSS).getTime());
        }
        return shared().getMQAdminImpl().maxOffset(queue);
    }

    /** Whether the application asks what is committed, on this thread: it may seek by that. */
    boolean isQuestion() {
        return false; // only that of a consumer that is polled may
    }

    /** Has its brokers hear of the group now: one that is new hears nothing for up to 30 s, and takes no offset before. */
    void greet() {
        try { // by name, because it answers in 5, and not in 4.9
            MQClientInstance.class.getMethod("sendHeartbeatToAllBrokerWithLock").invoke(shared());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RocketMQ's client sends no heartbeat", e);
        }
    }

    /** By name, because in 4.9 a setting is of another class than in 5, or is not there: null. */
    private Object setting(String getter) {
        try {
            return consumer.getClass().getMethod(getter).invoke(consumer);
        } catch (NoSuchMethodException e) {
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RocketMQ's client does not answer " + getter, e);
        }
    }

    /** Has the client's thread ask its strategy anew, now. */
    void wake() {
        if (state() == ServiceState.RUNNING && shared() != null) {
            shared().rebalanceImmediately();
        }
    }

    /** Whether it has heard of a queue; of others its strategy is not asked. */
    boolean knows(Queue queue) {
        Set<MessageQueue> known = rebalance().getTopicSubscribeInfoTable().get(queue.topic);
        return known != null && known.contains(named(queue));
    }

    /**
     * Has it ask its name server for the queues of a topic.
     *
     * @throws IllegalStateException no name server answers
     */
    void learn(String topic) {
        if (state() == ServiceState.RUNNING && shared() != null) {
            shared().updateTopicRouteInfoFromNameServer(topic);
        }
    }

    /**
     * Whether it is shut down, or about to be: from when it has sent its offsets and is registered no more, it does
     * nothing more with any queue. RocketMQ calls it shut down a second later, when all its threads have ended.
     */
    boolean isShutDown() {
        ServiceState now = state();
        return now == ServiceState.SHUTDOWN_ALREADY
                || (now == ServiceState.RUNNING && shared().selectConsumer(group()) != inner);
    }

    /** All that it subscribes, with the group's own topic of messages to be tried again. */
    List<String> topics() {
        return new ArrayList<>(new TreeSet<>(rebalance().getSubscriptionInner().keySet()));
    }

    /** What it has of a topic. */
    List<MessageQueue> queuesOf(String topic) {
        List<MessageQueue> those = new ArrayList<>(rebalance().getProcessQueueTable().keySet());
        those.removeIf(it -> !it.getTopic().equals(topic));
        return those;
    }

    /** Whether it still has a queue: it removes one after its offset was sent to the broker. */
    boolean has(Queue queue) {
        return rebalance().getProcessQueueTable().containsKey(named(queue));
    }

    /** Whether it should ask for messages of a queue, and has not for two minutes. */
    boolean isStalled(Queue queue) {
        return false; // who pulls may have its reasons
    }

    /**
     * Whether it has a queue that was dropped here, and that it therefore has to remove first. What RocketMQ drops
     * by itself it removes by itself, after ten seconds (a reset of offsets): to take it anew before that would
     * leave two of it at work.
     */
    boolean hasDropped(Queue queue) {
        ProcessQueue mine = rebalance().getProcessQueueTable().get(named(queue));
        return mine != null && DROPPED.contains(mine);
    }

    /** Whether RocketMQ has dropped a queue by itself: it writes the offset of a reset, and removes it, up to ten seconds later. */
    boolean isDroppedByItself(Queue queue) {
        ProcessQueue mine = rebalance().getProcessQueueTable().get(named(queue));
        return mine != null && mine.isDropped() && !DROPPED.contains(mine);
    }

    /** Whether the application has suspended it: then it asks no strategy until it is resumed. */
    boolean isSuspended() {
        return false; // only a push consumer may be
    }

    /** Whether the application works on a queue until it is told that the client has removed it, and can be told so now. */
    boolean isToldOfRemovals() {
        return false; // a listener of messages works on what it has been given, and comes back
    }

    /** Takes a queue from it, as its own thread would, with the offset. */
    void remove(Queue queue) {
        rebalance().removeProcessQueue(named(queue));
    }

    /** The same, and has its listener hear of it, by which the queue is pulled from no more. */
    final void removeAndTell(Queue queue) {
        if (has(queue)) {
            rebalance().removeProcessQueue(named(queue));
            Set<MessageQueue> all = rebalance().getTopicSubscribeInfoTable().getOrDefault(queue.topic, Set.of());
            Set<MessageQueue> told;
            do { // its own thread may have taken another one meanwhile, and told of that before
                told = new HashSet<>(queuesOf(queue.topic));
                rebalance().messageQueueChanged(queue.topic, all, told);
            } while (!told.equals(new HashSet<>(queuesOf(queue.topic))));
        }
    }

    /** Has its client begin on no more messages of a queue, and ignore what becomes of those at work. */
    static void drop(ProcessQueue queue) {
        DROPPED.add(queue);
        queue.setDropped(true);
    }

    /** The same of the one that it has. */
    void drop(Queue queue) {
        ProcessQueue mine = rebalance().getProcessQueueTable().get(named(queue));
        if (mine != null) {
            drop(mine);
        }
    }

    /** Has it remember how far a queue was worked on: when it removes the queue, it sends what it remembers. */
    void note(Queue queue) {
        // Whoever has a listener remembers it after each message.
    }

    /** The same, and have it commit nothing: the queue is somebody else's. */
    void forsake(Queue queue) {
        drop(queue);
        offsets().removeOffset(named(queue));
    }

    /**
     * A queue as the application names it: in a namespace, what it is given has topics without that, and what it asks
     * for may have them.
     */
    Queue whole(MessageQueue queue) {
        return named(consumer.queueWithNamespace(queue));
    }

    static Queue named(MessageQueue queue) {
        return new Queue(queue.getTopic(), queue.getBrokerName(), queue.getQueueId());
    }

    static MessageQueue named(Queue queue) {
        return new MessageQueue(queue.topic, queue.broker, queue.id);
    }
}
