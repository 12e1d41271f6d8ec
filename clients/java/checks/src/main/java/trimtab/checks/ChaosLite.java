package trimtab.checks;

import java.util.HashSet;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/** A lite pull consumer, which one thread polls. What it may not go on with it leaves to whoever has the queue. */
final class ChaosLite implements ChaosClient {
    private static final int WAIT_MS = 100;

    private final DefaultLitePullConsumer consumer;
    private final ChaosEffects effects;
    private final Trimtab trimtab;
    private final Thread poller = new Thread(this::poll, "poll");
    private volatile boolean over;

    ChaosLite(String group, String names, String name, String topic, ChaosEffects effects, MemberOptions options)
            throws MQClientException {
        this.effects = effects;
        consumer = ChaosClient.named(new DefaultLitePullConsumer(group), names, name);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "*");
        trimtab = Trimtab.attach(consumer, options);
    }

    @Override
    public void start() throws MQClientException {
        consumer.start();
        poller.start();
    }

    private void poll() {
        while (!over) {
            Set<MessageQueue> gone = new HashSet<>();
            for (MessageExt message : consumer.poll(WAIT_MS)) {
                MessageQueue queue = new MessageQueue(message.getTopic(), message.getBrokerName(), message.getQueueId());
                if (!gone.contains(queue) && !effects.of(message, queue, trimtab::token, false)) {
                    gone.add(queue);
                }
            }
        }
    }

    @Override
    public void end() throws InterruptedException {
        over = true;
        poller.join();
        if (consumer.isRunning()) {
            consumer.commitSync(); // all that was polled is done; 4.9 has no commit()
        }
        trimtab.close();
        consumer.shutdown();
    }
}
