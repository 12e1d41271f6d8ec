package trimtab.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/**
 * A push consumer of RocketMQ for the bench: it says when each queue comes into its hands, and goes.
 *
 * <p>{@code RocketHolder NAMESRV GROUP TOPIC QUEUES NAME concurrently|orderly [KAFKA PREFIX]}. Each broker, of
 * which there are two at most, has so many queues of the topic. Without a Kafka it is as RocketMQ made it. It
 * joins at the first line on stdin, and shuts down at the next. A queue is in its hands while the client's
 * table has it, neither dropped nor, if it works in order, without its lock; and until the client, shutting
 * down, has unregistered, for its listener is asked for nothing any more then.
 */
public final class RocketHolder {
    private static final PrintStream OUT = System.out;
    private static final long LOOK_MS = 2;

    private final DefaultMQPushConsumer consumer;
    private final boolean isOrderly;
    private final String topic;
    private final int queues;
    private Set<Integer> held = new TreeSet<>();

    private RocketHolder(String[] args) throws Exception {
        consumer = new DefaultMQPushConsumer(args[1]);
        topic = args[2];
        queues = Integer.parseInt(args[3]);
        isOrderly = "orderly".equals(args[5]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("holder");
        consumer.setInstanceName(args[4]);
        consumer.subscribe(topic, "*");
        if (isOrderly) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> ConsumeOrderlyStatus.SUCCESS);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
        }
        if (args.length > 6) {
            Trimtab.attach(consumer, MemberOptions.of(args[6]).prefix(args[7]));
        }
    }

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // RocketMQ's logs speak of themselves
        RocketHolder holder = new RocketHolder(args);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        OUT.println(ProcessHandle.current().pid());
        lines.readLine();
        Thread looks = new Thread(holder::look, "looks");
        looks.setDaemon(true);
        looks.start();
        say("joins", List.of());
        holder.consumer.start();
        lines.readLine();
        say("leaves", List.of());
        holder.consumer.shutdown();
        holder.tell(new TreeSet<>());
    }

    private void look() {
        try {
            while (true) {
                tell(inHand());
                Thread.sleep(LOOK_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Set<Integer> inHand() {
        Set<Integer> found = new TreeSet<>();
        MQClientInstance client = consumer.getDefaultMQPushConsumerImpl().getmQClientFactory();
        if (client == null || client.selectConsumer(consumer.getConsumerGroup()) == null) {
            return found;
        }
        consumer.getDefaultMQPushConsumerImpl().getRebalanceImpl().getProcessQueueTable().forEach((queue, state) -> {
            if (queue.getTopic().equals(topic) && !state.isDropped() && (state.isLocked() || !isOrderly)) {
                found.add(number(queue));
            }
        });
        return found;
    }

    private int number(MessageQueue queue) {
        return queue.getQueueId() + ("broker-a".equals(queue.getBrokerName()) ? 0 : queues);
    }

    private synchronized void tell(Set<Integer> now) {
        sayOf("ends", held, now);
        sayOf("begins", now, held);
        held = now;
    }

    private static void sayOf(String event, Set<Integer> those, Set<Integer> others) {
        List<Integer> news = those.stream().filter(it -> !others.contains(it)).collect(Collectors.toList());
        if (!news.isEmpty()) {
            say(event, news);
        }
    }

    private static void say(String event, List<Integer> queues) {
        Instant now = Instant.now();
        long at = now.getEpochSecond() * 1_000_000_000L + now.getNano();
        OUT.println("{\"at\": " + at + ", \"event\": \"" + event + "\", \"queues\": " + queues + "}");
    }
}
