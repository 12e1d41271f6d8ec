package trimtab.rocketmq;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.impl.consumer.AssignedMessageQueue;
import org.apache.rocketmq.client.impl.consumer.DefaultLitePullConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.message.MessageQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Queue;

/**
 * A consumer that is polled.
 *
 * <p>RocketMQ removes a queue from it while the application works on what it polled last, and with the offset
 * of the last commit, which may be five seconds old. So a queue that is taken stays its share until the
 * application has come back, and its offset is at the broker. It has no methods for what we need inside.
 */
final class LiteClient extends Client {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    private static final String ASSIGNED =
            "this consumer was told its queues by assign(), so it would never ask the controller: subscribe instead";

    private final DefaultLitePullConsumer consumer;
    private final DefaultLitePullConsumerImpl inner;
    private final Hand hand;
    private final Places places;
    /** Of earlier grants: others may have come further by now. */
    private final Set<ProcessQueue> forsaken = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    LiteClient(DefaultLitePullConsumer consumer, Gate gate) {
        this(consumer, (DefaultLitePullConsumerImpl) Fields.get(consumer, "defaultLitePullConsumerImpl"), gate);
    }

    private LiteClient(DefaultLitePullConsumer consumer, DefaultLitePullConsumerImpl inner, Gate gate) {
        super(consumer, inner);
        this.consumer = consumer;
        this.inner = inner;
        this.hand = new Hand(gate);
        demandNew(state(), consumer.getAllocateMessageQueueStrategy());
        for (String name : new String[] {"rebalanceImpl", "mQClientFactory", "assignedMessageQueue", "consumeRequestCache"}) {
            Fields.get(inner, name); // not later, on a thread of the client's, nor when half is done
        }
        places = new Places();
        places.updateAssignedMessageQueue(inner.getAssignedMessageQueue().getAssignedMessageQueues()); // by assign()
        Fields.set(inner, "consumeRequestCache", hand);
        Fields.set(inner, "assignedMessageQueue", places);
    }

    @Override
    void install(UnaryOperator<OffsetStore> over, AllocateMessageQueueStrategy strategy) {
        consumer.setOffsetStore(over.apply(consumer.getOffsetStore()));
        consumer.setAllocateMessageQueueStrategy(strategy);
    }

    @Override
    AllocateMessageQueueStrategy strategy() {
        return consumer.getAllocateMessageQueueStrategy();
    }

    @Override
    ServiceState state() {
        return (ServiceState) Fields.get(inner, "serviceState");
    }

    @Override
    MQClientInstance shared() {
        return (MQClientInstance) Fields.get(inner, "mQClientFactory");
    }

    @Override
    RebalanceImpl rebalance() {
        return (RebalanceImpl) Fields.get(inner, "rebalanceImpl");
    }

    @Override
    OffsetStore offsets() {
        return inner.getOffsetStore();
    }

    @Override
    String whyNobodyAsked() {
        return ASSIGNED;
    }

    @Override
    boolean keepsUntilSettled() {
        return true;
    }

    @Override
    boolean isQuestion() {
        return StackWalker.getInstance().walk(calls -> calls.anyMatch(
                it -> "committed".equals(it.getMethodName()) && it.getClassName().startsWith("org.apache.rocketmq.")));
    }

    /**
     * Without auto commit it is only what the application has committed that counts. With it, all that was
     * handed out is done, but for what is in hand of an application that was not waited for.
     */
    @Override
    void note(Queue queue) {
        MessageQueue named = named(queue);
        if (consumer.isAutoCommit() && !forsaken.contains(rebalance().getProcessQueueTable().get(named))) {
            Long inHand = hand.firstOf(queue);
            long reached = places.getConsumerOffset(named);
            if (reached >= 0) { // -1: nothing was handed out. It may have gone back; or have committed what is in hand
                boolean isAhead = inHand != null && inHand <= reached;
                offsets().updateOffset(named, isAhead ? inHand : reached, isAhead);
            }
        }
    }

    @Override
    void forsake(Queue queue) {
        ProcessQueue mine = rebalance().getProcessQueueTable().get(named(queue));
        if (mine != null) {
            forsaken.add(mine);
        }
        hand.forget(queue);
        places.forget(named(queue));
        super.forsake(queue);
    }

    /** Noted before it is dropped: the client may remove it at any moment after that, and knows nothing of it then. */
    @Override
    void settle(Queue queue) {
        MessageQueue named = named(queue);
        Long stored = null;
        try {
            try {
                note(queue);
                stored = offsets().cloneOffsetTable(named.getTopic()).get(named);
            } finally {
                drop(queue);
            }
            if (stored != null && !isShutDown()) { // then it has sent all that it had
                offsets().updateConsumeOffsetToBroker(named, stored, false);
                if (places.forget(named)) { // RocketMQ removed it without that
                    offsets().removeOffset(named);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // RocketMQ declares four; it is sent once more when the queue leaves the table
            LOG.warn("{}: the offset {} did not reach the broker: {}", queue, stored, e.toString());
        } finally {
            places.forget(named); // when the queue is its own again, others have come further
        }
    }

    @Override
    void remove(Queue queue) {
        removeAndTell(queue);
    }

    @Override
    boolean isUnderWay() {
        return hand.mayComeBack();
    }

    @Override
    void giveUp() {
        hand.giveUp();
    }

    /**
     * Where it is with its queues. RocketMQ tells nobody that the application seeks, commits what was handed out before
     * until it has gone there, and forgets where it is with what the application unsubscribes.
     */
    private final class Places extends AssignedMessageQueue {
        /** Of queues whose topic was unsubscribed, until they are let go or pulled from anew. */
        private final Map<MessageQueue, Long> last = new ConcurrentHashMap<>();

        Places() {
            setRebalanceImpl(rebalance()); // which RocketMQ sets when a topic is subscribed
        }

        @Override
        public void setSeekOffset(MessageQueue queue, long offset) {
            super.setSeekOffset(queue, offset);
            if (offset >= 0 && offsets() instanceof OwnOffsets) { // -1: it has gone there
                ((OwnOffsets) offsets()).sought(queue, offset);
            }
        }

        @Override
        public long getConsumerOffset(MessageQueue queue) {
            long sought = getSeekOffset(queue); // read before: it goes there first
            long reached = sought >= 0 ? sought : super.getConsumerOffset(queue);
            return reached >= 0 ? reached : last.getOrDefault(queue, reached);
        }

        /** What is ready for the application is handed out until the client has removed the queue. */
        @Override
        public void updateConsumeOffset(MessageQueue queue, long offset) {
            super.updateConsumeOffset(queue, offset);
            last.computeIfPresent(queue, (it, before) -> offset);
        }

        @Override
        public void removeAssignedMessageQueue(String topic) {
            for (MessageQueue each : getAssignedMessageQueues()) {
                ProcessQueue mine = getProcessQueue(each); // null: another thread has just removed it
                if (each.getTopic().equals(topic) && mine != null && !mine.isDropped()) {
                    last.put(each, getConsumerOffset(each));
                }
            }
            super.removeAssignedMessageQueue(topic);
        }

        @Override
        public void updateAssignedMessageQueue(String topic, Collection<MessageQueue> assigned) {
            last.keySet().removeAll(assigned);
            super.updateAssignedMessageQueue(topic, assigned);
        }

        /** Whether there was anything to forget. */
        boolean forget(MessageQueue queue) {
            return last.remove(queue) != null;
        }
    }
}
