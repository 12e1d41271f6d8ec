package trimtab.checks;

import java.util.OptionalLong;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/** A push consumer, whose listener takes messages in order or not. Of those that come in any order some fail once. */
final class ChaosPush implements ChaosClient {
    /** More than a slow message takes. */
    private static final long PATIENCE_MS = 10_000;

    private final DefaultMQPushConsumer consumer;
    private final ChaosEffects effects;
    private volatile Trimtab trimtab;

    ChaosPush(String group, String names, String name, String topic, ChaosEffects effects, boolean orderly)
            throws MQClientException {
        this.effects = effects;
        consumer = ChaosClient.named(new DefaultMQPushConsumer(group), names, name);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "*");
        if (orderly) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) ->
                    effects.of(messages.get(0), context.getMessageQueue(), this::token, false)
                            ? ConsumeOrderlyStatus.SUCCESS
                            : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) ->
                    effects.of(messages.get(0), context.getMessageQueue(), this::token, true)
                            ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                            : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        }
    }

    ChaosPush attached(MemberOptions options) {
        trimtab = Trimtab.attach(consumer, options);
        return this;
    }

    /** Without a line of trimtab's: it works on what its broker says. */
    ChaosPush byBroker() {
        consumer.setClientRebalance(false);
        consumer.setAwaitTerminationMillisWhenShutdown(PATIENCE_MS); // RocketMQ 5 takes what it interrupts for done
        return this;
    }

    /** One and the same for all without a line of ours: it refuses nobody. */
    private OptionalLong token(MessageQueue queue) {
        return trimtab == null ? OptionalLong.of(0) : trimtab.token(queue);
    }

    @Override
    public void start() throws MQClientException {
        consumer.start();
    }

    @Override
    public void end() {
        consumer.shutdown();
    }
}
