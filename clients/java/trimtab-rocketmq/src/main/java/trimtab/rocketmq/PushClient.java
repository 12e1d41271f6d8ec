package trimtab.rocketmq;

import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import trimtab.protocol.Queue;

/** A consumer whose listener is called. Its own thread removes a queue with the offset of what was finished. */
final class PushClient extends Client {
    private static final String BY_BROKER =
            "the broker says what this consumer works on, so it would never ask the controller:"
                    + " do not call setClientRebalance(false)";

    private final DefaultMQPushConsumer consumer;
    private final DefaultMQPushConsumerImpl inner;
    private final Gate gate;

    PushClient(DefaultMQPushConsumer consumer, Gate gate) {
        super(consumer, consumer.getDefaultMQPushConsumerImpl());
        this.consumer = consumer;
        this.inner = consumer.getDefaultMQPushConsumerImpl();
        this.gate = gate;
        demandNew(state(), consumer.getAllocateMessageQueueStrategy());
    }

    @Override
    void install(UnaryOperator<OffsetStore> over, AllocateMessageQueueStrategy strategy) {
        new Listeners(gate, this).guard(consumer);
        consumer.setPostSubscriptionWhenPull(true); // its broker remembers only the last heartbeat, which may be another's
        consumer.setOffsetStore(over.apply(consumer.getOffsetStore()));
        consumer.setAllocateMessageQueueStrategy(strategy);
    }

    /** One that was registered after we were attached. */
    @Override
    void starts() {
        if (!Listeners.isGuarded(consumer)) {
            new Listeners(gate, this).guard(consumer);
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
        return inner.getmQClientFactory();
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
    boolean isStalled(Queue queue) {
        ProcessQueue mine = rebalance().getProcessQueueTable().get(named(queue));
        return mine != null && !mine.isDropped() && mine.isPullExpired();
    }

    @Override
    boolean isSuspended() {
        return inner.isPause();
    }

    @Override
    boolean isOrderly() {
        return inner.isConsumeOrderly();
    }

    @Override
    String whyNobodyAsked() {
        return isRebalancedByBroker()
                ? BY_BROKER
                : "this consumer's strategy is " + consumer.getAllocateMessageQueueStrategy().getName()
                        + " by now, so it never asks the controller: set none after Trimtab.attach";
    }
}
