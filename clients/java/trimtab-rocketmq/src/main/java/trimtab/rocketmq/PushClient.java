package trimtab.rocketmq;

import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import trimtab.protocol.Queue;

/** A consumer whose listener is called. Its own thread removes a queue with the offset of what was finished. */
final class PushClient extends Client {
    private static final String BY_BROKER =
            "the broker says what this consumer works on, so it would never ask the controller:"
                    + " do not call setClientRebalance(false)";

    private final DefaultMQPushConsumerImpl inner;

    PushClient(DefaultMQPushConsumer consumer) {
        super(consumer, consumer.getDefaultMQPushConsumerImpl());
        this.inner = consumer.getDefaultMQPushConsumerImpl();
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
    boolean isOrderly() {
        return inner.isConsumeOrderly();
    }

    @Override
    String whyNobodyAsked() {
        return BY_BROKER;
    }

    @Override
    boolean keepsUntilSettled() {
        return false;
    }

    @Override
    void settle(Queue queue) {
        // when it leaves the table
    }

    @Override
    boolean isUnderWay() {
        return true;
    }

    @Override
    void giveUp() {
        // its listener ends by itself
    }
}
