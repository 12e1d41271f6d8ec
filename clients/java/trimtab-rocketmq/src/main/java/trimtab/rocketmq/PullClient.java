package trimtab.rocketmq;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.MessageQueueListener;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPullConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.message.MessageQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Queue;

/**
 * A consumer whose application pulls from each queue by itself, and is told by its listener which queues there are.
 *
 * <p>RocketMQ removes a queue, with the offset that it knows, and then tells the listener, and waits for it. So a
 * queue is let go when the listener has come back from a call that no longer names it. What the application
 * has reached meanwhile is sent to the broker then.
 */
final class PullClient extends Client {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    private static final String NO_TOPICS =
            "this consumer has registered no topics, so it never asks the controller:"
                    + " call registerMessageQueueListener or setRegisterTopics before the start";

    /** An operator may set an offset back meanwhile. */
    private static final int TRIES = 3;

    private final DefaultMQPullConsumer consumer;
    private final DefaultMQPullConsumerImpl inner;
    private final Gate gate;
    private final Listening listening;
    /** How far each queue was worked on, until it is let go. */
    private final Map<Queue, Long> reached = new ConcurrentHashMap<>();
    /** Those that were lost, until nobody is at work any more on what was given before: it reaches nothing. */
    private final Set<Queue> forsaken = ConcurrentHashMap.newKeySet();
    /** A queue is being taken away, and the listener told. */
    private final AtomicBoolean isRemoving = new AtomicBoolean();

    PullClient(DefaultMQPullConsumer consumer, Gate gate) {
        super(consumer, consumer.getDefaultMQPullConsumerImpl());
        this.consumer = consumer;
        this.inner = consumer.getDefaultMQPullConsumerImpl();
        this.gate = gate;
        this.listening = new Listening(this, gate);
        demandNew(state(), consumer.getAllocateMessageQueueStrategy());
        Fields.get(inner, "mQClientFactory"); // not later, on a thread of the client's
    }

    @Override
    void install(UnaryOperator<OffsetStore> over, AllocateMessageQueueStrategy strategy) {
        consumer.setOffsetStore(over.apply(consumer.getOffsetStore()));
        consumer.setAllocateMessageQueueStrategy(strategy);
    }

    /** A {@code MQPullConsumerScheduleService} sets its listener when it starts: so not before it asks. */
    @Override
    void asks() {
        reached.keySet().removeIf(it -> !has(it) && gate.isIdle(it)); // others may have come further by now
        forsaken.removeIf(gate::isIdle);
        MessageQueueListener listener = consumer.getMessageQueueListener();
        if (listener != null && listener != listening) {
            listening.tell(listener);
            consumer.setMessageQueueListener(listening);
        }
    }

    @Override
    AllocateMessageQueueStrategy strategy() {
        return consumer.getAllocateMessageQueueStrategy();
    }

    @Override
    ServiceState state() {
        return inner.getServiceState();
    }

    @Override
    MQClientInstance shared() {
        return (MQClientInstance) Fields.get(inner, "mQClientFactory");
    }

    @Override
    RebalanceImpl rebalance() {
        return inner.getRebalanceImpl();
    }

    @Override
    OffsetStore offsets() {
        return inner.getOffsetStore();
    }

    @Override
    String whyNobodyAsked() {
        return NO_TOPICS;
    }

    @Override
    boolean isToldOfRemovals() {
        return !listening.isBusy() && !isRemoving.get();
    }

    /** On a thread of its own: its listener may finish what is in hand before it comes back. */
    @Override
    void remove(Queue queue) {
        if (isRemoving.compareAndSet(false, true)) {
            Thread thread = new Thread(() -> {
                try {
                    removeAndTell(queue);
                } catch (RuntimeException e) {
                    LOG.warn("{} could not be taken from the consumer; it is tried again", queue, e);
                } finally {
                    isRemoving.set(false);
                }
            }, "trimtab-rocketmq-removal");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Its listener is not asked any more, once it is shut down. */
    @Override
    void giveUp() {
        listening.giveUp();
    }

    @Override
    void reached(Queue queue, long offset) {
        if (!forsaken.contains(queue)) {
            reached.put(queue, offset);
        }
    }

    /** How far it was worked on before counts no more: others may have come further when it is ours again. */
    @Override
    void forsake(Queue queue) {
        forsaken.add(queue);
        reached.remove(queue);
        super.forsake(queue);
    }

    /**
     * If the queue has left the table, its offset does not reach the broker by itself. RocketMQ may have sent one a moment
     * before without waiting, as it does every five seconds; the broker may come to that one last, so it is asked which it has.
     */
    @Override
    void done(Queue queue) {
        Long last = has(queue) ? null : reached.remove(queue);
        if (last == null || isShutDown()) {
            return;
        }
        MessageQueue named = named(queue);
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                offsets().updateConsumeOffsetToBroker(named, last, false);
                if (!isBehind(offsets().readOffset(named, ReadOffsetType.READ_FROM_STORE), last)) {
                    break;
                }
            }
            offsets().removeOffset(named);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // RocketMQ declares four, and the answer to all is that messages come again
            LOG.warn("{}: the offset {} did not reach the broker: {}", queue, last, e.toString());
        }
    }

    /** Less than 0 is no answer. */
    private static boolean isBehind(long stored, long last) {
        return stored >= 0 && stored < last;
    }
}
