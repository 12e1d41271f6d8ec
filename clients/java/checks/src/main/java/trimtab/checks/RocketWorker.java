package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Fallback;
import trimtab.rocketmq.Trimtab;

/**
 * A push consumer of RocketMQ that says on stdout what it works on, and when.
 *
 * <p>{@code RocketWorker NAMESRV KAFKA PREFIX GROUP TOPIC NAME concurrently|orderly NONE|AVG}. It shuts its
 * consumer down at the end of stdin. Of a listener that is concurrent every 50th message fails once.
 */
public final class RocketWorker {
    private static final int WORK_MS = 4;

    private RocketWorker() {}

    public static void main(String[] args) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(args[3]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("worker");
        consumer.setInstanceName(args[5]);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(args[4], "*");
        if ("orderly".equals(args[6])) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
                work(messages, context.getMessageQueue());
                return ConsumeOrderlyStatus.SUCCESS;
            });
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                MessageExt only = messages.get(0); // the default batch is one
                if (number(only) % 50 == 7 && only.getReconsumeTimes() == 0) {
                    say("refuse " + number(only));
                    return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                }
                work(messages, context.getMessageQueue());
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
        }
        MemberOptions options = MemberOptions.of(args[1]).prefix(args[2]).sessionTimeout(Duration.ofSeconds(6));
        Trimtab.attach(consumer, options, Fallback.valueOf(args[7]));
        consumer.start();
        say("started");
        while (System.in.read() >= 0) {
            // until the end
        }
        consumer.shutdown();
    }

    private static void work(List<MessageExt> messages, MessageQueue queue) {
        for (MessageExt message : messages) {
            String where = queue.getTopic() + " " + queue.getQueueId() + " " + number(message);
            say("begin " + where);
            try {
                Thread.sleep(WORK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            say("end " + where);
        }
    }

    private static long number(MessageExt message) {
        return Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
    }

    /** A line with the time, on the clock that all processes of a machine share. */
    private static void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
