package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Fallback;
import trimtab.rocketmq.Stall;
import trimtab.rocketmq.Trimtab;

/**
 * A push consumer of RocketMQ that says on stdout what it works on, and when.
 *
 * <p>{@code RocketWorker NAMESRV KAFKA PREFIX GROUP TOPIC NAME KIND NONE|AVG|MOVING|BROKER}. The kind is
 * {@code concurrently} (every 50th message fails once), {@code slowly} (every 20th takes long), {@code at-end}
 * (it begins where RocketMQ does if it is told nothing), {@code beats} (it tells its broker often what it subscribes), {@code alert} (it asks
 * its name server all the time), {@code REPORT} or {@code LEAVE} (it finds soon that it has not pulled, and does
 * that), {@code orderly}, {@code broadcasting}, {@code by-broker}, {@code by-broker-2} (with heartbeats of version 2), {@code hooked} (a hook of the process shuts it down), or
 * {@code several} (so it does with two consumers, after other things), {@code interrupts} (its listener is interrupted
 * once), or {@code unsubscribes} (it tells its broker seldom how far it is, and unsubscribes the topic when it is asked for its state). With {@code BROKER} it has no line of trimtab's. For each line on stdin it says its state, and at the end of
 * stdin it shuts its consumer down.
 */
public final class RocketWorker {
    private static final int WORK_MS = 4;
    private static final int SLOW_WORK_MS = 2_000;
    /** So long a shutdown waits for what is at work, and once more when it has interrupted it. */
    private static final int PATIENCE_MS = 500;
    private static final int ALERT_MS = 200;
    /** At this message it is interrupted once, as a task that was cancelled. */
    private static final long INTERRUPTED = 99;
    /** Two of these are longer than a hook waits for one shutdown. */
    private static final int LATE_MS = 2_700;
    private static final Set<String> STALLS = Set.of("REPORT", "LEAVE");
    /** Less than a broker waits for a message before it answers that there is none. */
    private static final String IDLE_MS = "2000";
    /** What a broker is told that a test waits for is told soon. */
    private static final int BEAT_MS = 3_000;
    private static final String UNSUBSCRIBES = "unsubscribes";
    /** Longer than a test. */
    static final int SELDOM_MS = 300_000;
    /** What a client had popped and drops comes again after so long. */
    private static final long INVISIBLE_MS = 10_000;

    private static volatile boolean hasInterrupted;

    private RocketWorker() {}

    public static void main(String[] args) throws Exception {
        if (STALLS.contains(args[6])) {
            System.setProperty("rocketmq.client.pull.pullMaxIdleTime", IDLE_MS);
            System.setProperty("rocketmq.client.rebalance.waitInterval", IDLE_MS);
        }
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(args[3]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("worker");
        consumer.setInstanceName(args[5]);
        if (!"at-end".equals(args[6])) {
            consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        }
        consumer.subscribe(args[4], "*");
        if ("orderly".equals(args[6])) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
                return work(messages, context.getMessageQueue(), WORK_MS)
                        ? ConsumeOrderlyStatus.SUCCESS
                        : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
            });
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                MessageExt only = messages.get(0); // the default batch is one
                if ("concurrently".equals(args[6]) && number(only) % 50 == 7 && only.getReconsumeTimes() == 0) {
                    say("refuse " + number(only));
                    return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                }
                if ("interrupts".equals(args[6]) && number(only) == INTERRUPTED && !hasInterrupted) {
                    hasInterrupted = true;
                    say("interrupt " + INTERRUPTED);
                    Thread.currentThread().interrupt();
                    return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                }
                boolean isSlow = "slowly".equals(args[6]) && number(only) % 20 == 3;
                return work(messages, context.getMessageQueue(), isSlow ? SLOW_WORK_MS : WORK_MS)
                        ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                        : ConsumeConcurrentlyStatus.RECONSUME_LATER;
            });
        }
        if ("alert".equals(args[6])) {
            consumer.setPollNameServerInterval(ALERT_MS);
        } else if ("broadcasting".equals(args[6])) {
            broadcast(consumer);
        } else if ("beats".equals(args[6])) {
            consumer.setHeartbeatBrokerInterval(BEAT_MS);
        } else if (UNSUBSCRIBES.equals(args[6])) {
            consumer.setPersistConsumerOffsetInterval(SELDOM_MS);
        } else if (args[6].startsWith("by-broker")) {
            consumer.setClientRebalance(false);
            consumer.setUseHeartbeatV2("by-broker-2".equals(args[6]));
            consumer.setHeartbeatBrokerInterval(BEAT_MS);
            consumer.setPopInvisibleTime(INVISIBLE_MS);
        }
        if ("slowly".equals(args[6])) {
            consumer.setAwaitTerminationMillisWhenShutdown(PATIENCE_MS);
        }
        Trimtab trimtab = "BROKER".equals(args[7]) ? null : attached(consumer, args);
        if ("hooked".equals(args[6])) {
            Runtime.getRuntime().addShutdownHook(new Thread(consumer::shutdown));
        } else if ("several".equals(args[6])) {
            List<DefaultMQPushConsumer> all = List.of(consumer, another(args));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> all.forEach(RocketWorker::shutDownLate)));
        }
        consumer.start();
        say("started");
        for (int read = System.in.read(); read >= 0; read = System.in.read()) {
            if (read == '\n') {
                if (UNSUBSCRIBES.equals(args[6])) {
                    consumer.unsubscribe(args[4]);
                }
                say("state " + (trimtab == null ? "UNATTACHED" : trimtab.state()));
                say("stalls " + (trimtab == null ? 0 : trimtab.stalls()));
            }
        }
        consumer.shutdown();
        if (args[6].startsWith("by-broker")) {
            System.exit(0); // RocketMQ leaves the threads behind that have worked on what was popped
        }
    }

    private static Trimtab attached(DefaultMQPushConsumer consumer, String[] args) {
        MemberOptions options = MemberOptions.of(args[1]).prefix(args[2]).sessionTimeout(Duration.ofSeconds(6));
        Trimtab trimtab = "MOVING".equals(args[7])
                ? Trimtab.attachMoving(consumer, options)
                : Trimtab.attach(consumer, options, Fallback.valueOf(args[7]));
        return STALLS.contains(args[6]) ? trimtab.onStall(Stall.valueOf(args[6])) : trimtab;
    }

    private static DefaultMQPushConsumer another(String[] args) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(args[3]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("worker");
        consumer.setInstanceName(args[5] + "-2");
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(args[4], "*");
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) ->
                work(messages, context.getMessageQueue(), WORK_MS)
                        ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                        : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        attached(consumer, args);
        consumer.start();
        DefaultMQProducer producer = new DefaultMQProducer(args[3]); // while it uses the same client, shutdown() is over at once
        producer.setNamesrvAddr(args[0]);
        producer.setClientIP("worker");
        producer.setInstanceName(args[5] + "-2");
        producer.start();
        return consumer;
    }

    private static void shutDownLate(DefaultMQPushConsumer consumer) {
        try {
            Thread.sleep(LATE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumer.shutdown();
    }

    /** By name: the model is of another class in 4.9 than in 5, for which this is compiled. */
    private static void broadcast(DefaultMQPushConsumer consumer) throws ReflectiveOperationException {
        Class<?> model = consumer.getClass().getMethod("getMessageModel").getReturnType();
        Object broadcasting = model.getField("BROADCASTING").get(null);
        consumer.getClass().getMethod("setMessageModel", model).invoke(consumer, broadcasting);
    }

    /** Says whether it was done: it may be interrupted. */
    private static boolean work(List<MessageExt> messages, MessageQueue queue, long workMs) {
        for (MessageExt message : messages) {
            String where = queue.getBrokerName() + "/" + queue.getTopic() + " " + queue.getQueueId() + " " + number(message);
            say("begin " + where);
            try {
                Thread.sleep(workMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                say("stop " + where);
                return false;
            }
            say("end " + where);
        }
        return true;
    }

    private static long number(MessageExt message) {
        return Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
    }

    /** A line with the time, on the clock that all processes of a machine share. */
    private static void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
