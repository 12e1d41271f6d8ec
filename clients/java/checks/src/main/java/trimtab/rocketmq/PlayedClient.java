package trimtab.rocketmq;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragely;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.protocol.Queue;

/** A client without a server: it notes what is asked of it, and has what it is given. */
final class PlayedClient extends Client {
    /** What was done, in this order. */
    final List<String> done = Collections.synchronizedList(new ArrayList<>());

    final PlayedOffsets store = new PlayedOffsets();
    volatile boolean isOrderly;
    volatile boolean isSuspended;
    volatile boolean isBroadcasting;
    volatile boolean isBroken;
    /** Where it begins; null: its broker does not say. */
    volatile Long start = -1L;
    volatile List<String> topics = List.of("orders");

    private final DefaultMQPushConsumer consumer;
    private final MQClientInstance shared = new MQClientInstance(new ClientConfig(), 0, "played");
    private OffsetStore offsets = store;

    PlayedClient() {
        this(new DefaultMQPushConsumer("billing"));
    }

    private PlayedClient(DefaultMQPushConsumer consumer) {
        super(consumer, consumer.getDefaultMQPushConsumerImpl());
        this.consumer = consumer;
        consumer.getDefaultMQPushConsumerImpl().setOffsetStore(store);
    }

    /** It works on a queue. */
    ProcessQueue take(Queue queue) {
        ProcessQueue taken = new ProcessQueue();
        rebalance().getProcessQueueTable().put(named(queue), taken);
        return taken;
    }

    long count(String what) {
        synchronized (done) {
            return done.stream().filter(what::equals).count();
        }
    }

    @Override
    AllocateMessageQueueStrategy strategy() {
        return new AllocateMessageQueueAveragely();
    }

    @Override
    void install(UnaryOperator<OffsetStore> over, AllocateMessageQueueStrategy strategy) {
        offsets = over.apply(store);
    }

    @Override
    ServiceState state() {
        return ServiceState.RUNNING;
    }

    @Override
    MQClientInstance shared() {
        done.add("broker");
        return shared;
    }

    @Override
    RebalanceImpl rebalance() {
        return consumer.getDefaultMQPushConsumerImpl().getRebalanceImpl();
    }

    @Override
    OffsetStore offsets() {
        return offsets;
    }

    @Override
    String whyNobodyAsked() {
        return "it is played";
    }

    @Override
    boolean isOrderly() {
        return isOrderly;
    }

    @Override
    boolean isSuspended() {
        return isSuspended;
    }

    @Override
    boolean isBroadcasting() {
        return isBroadcasting;
    }

    @Override
    long start(MessageQueue queue) throws MQClientException {
        if (start == null) {
            throw new MQClientException("played", null);
        }
        return start;
    }

    @Override
    void greet() {
        done.add("greet");
    }

    @Override
    boolean isRebalancedByBroker() {
        return false;
    }

    @Override
    boolean isShutDown() {
        if (isBroken) {
            throw new NoSuchMethodError("played");
        }
        return false;
    }

    @Override
    boolean knowsQueues() {
        return false;
    }

    @Override
    List<String> topics() {
        return topics;
    }

    @Override
    void learn(String topic) {
        // no name server
    }

    @Override
    void wake() {
        done.add("wake");
    }
}
