package trimtab.checks;

import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/** A pull consumer, with a thread for each queue that its listener is told. */
final class ChaosPull implements ChaosClient {
    private final DefaultMQPullConsumer consumer;
    private final Trimtab trimtab;

    ChaosPull(String group, String names, String name, String topic, ChaosEffects effects, MemberOptions options) {
        consumer = ChaosClient.named(new DefaultMQPullConsumer(group), names, name);
        PullThreads threads = new PullThreads(
                consumer, (message, queue) -> effects.of(message, queue, trimtab()::token, false), System.out::println);
        consumer.registerMessageQueueListener(topic, (it, all, mine) -> threads.change(mine));
        trimtab = Trimtab.attach(consumer, options);
    }

    private Trimtab trimtab() {
        return trimtab;
    }

    @Override
    public void start() throws MQClientException {
        consumer.start();
    }

    @Override
    public void end() throws InterruptedException {
        trimtab.close();
        consumer.shutdown();
    }
}
