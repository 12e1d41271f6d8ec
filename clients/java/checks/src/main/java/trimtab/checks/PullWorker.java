package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumerScheduleService;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/**
 * A pull consumer of RocketMQ that says on stdout what it works on, and when.
 *
 * <p>{@code PullWorker NAMESRV KAFKA PREFIX GROUP TOPIC NAME listener|tasks}. By a listener it has a thread for each queue;
 * with tasks RocketMQ's own service has. It says lines as {@link RocketWorker} does. At the end of stdin it hands on, and
 * shuts its consumer down.
 */
public final class PullWorker {
    private static final int WORK_MS = 4;
    private static final int REST_MS = 10;
    private static final int AT_ONCE = 32;
    /** Nobody has committed anything; less is no answer. */
    private static final long NONE = -1;

    private final Map<MessageQueue, Thread> threads = new HashMap<>();
    private final MQPullConsumer consumer;
    private volatile Trimtab trimtab;
    /** What the listener was told last. */
    private volatile Set<MessageQueue> mine = Set.of();

    private PullWorker(MQPullConsumer consumer) {
        this.consumer = consumer;
    }

    public static void main(String[] args) throws Exception {
        MemberOptions options = MemberOptions.of(args[1]).prefix(args[2]).sessionTimeout(Duration.ofSeconds(6));
        if ("tasks".equals(args[6])) {
            MQPullConsumerScheduleService service = new MQPullConsumerScheduleService(args[3]);
            DefaultMQPullConsumer consumer = named(service.getDefaultMQPullConsumer(), args);
            PullWorker worker = new PullWorker(consumer);
            worker.trimtab = Trimtab.attach(consumer, options);
            service.registerPullTaskCallback(args[4], worker.trimtab.guarded((queue, context) -> {
                worker.work(queue, () -> true);
                context.setPullNextDelayTimeMillis(REST_MS);
            }));
            service.start();
            worker.obey();
            service.shutdown();
        } else {
            DefaultMQPullConsumer consumer = named(new DefaultMQPullConsumer(args[3]), args);
            PullWorker worker = new PullWorker(consumer);
            consumer.registerMessageQueueListener(args[4], (topic, all, mine) -> worker.change(mine));
            worker.trimtab = Trimtab.attach(consumer, options);
            consumer.start();
            worker.obey();
            consumer.shutdown();
        }
    }

    private static DefaultMQPullConsumer named(DefaultMQPullConsumer consumer, String[] args) {
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("worker");
        consumer.setInstanceName(args[5]);
        return consumer;
    }

    private void obey() throws Exception {
        say("started");
        for (int read = System.in.read(); read >= 0; read = System.in.read()) {
            if (read == '\n') {
                say("state " + trimtab.state());
            }
        }
        trimtab.close();
    }

    /** Comes back when nobody works on what is not ours any more. */
    private void change(Set<MessageQueue> now) {
        mine = Set.copyOf(now);
        threads.keySet().removeIf(it -> !now.contains(it) && end(threads.get(it)));
        for (MessageQueue queue : now) {
            threads.computeIfAbsent(queue, it -> {
                Thread thread = new Thread(() -> pull(it), "pull-" + it.getQueueId());
                thread.setDaemon(true);
                thread.start();
                return thread;
            });
        }
    }

    private static boolean end(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private void pull(MessageQueue queue) {
        while (mine.contains(queue)) {
            work(queue, () -> mine.contains(queue));
            rest(REST_MS);
        }
    }

    /** One pull, and all that it brought, unless that is not ours any more. */
    private void work(MessageQueue queue, BooleanSupplier goesOn) {
        try {
            long stored = consumer.fetchConsumeOffset(queue, false);
            if (stored < NONE) {
                return; // no answer
            }
            PullResult pulled = consumer.pull(queue, "*", stored == NONE ? consumer.minOffset(queue) : stored, AT_ONCE);
            if (pulled.getPullStatus() != PullStatus.FOUND) {
                return;
            }
            for (MessageExt message : pulled.getMsgFoundList()) {
                if (!goesOn.getAsBoolean() || !trimtab.holds(queue)) {
                    return;
                }
                String where = queue.getTopic() + " " + queue.getQueueId() + " "
                        + new String(message.getBody(), StandardCharsets.UTF_8);
                say("begin " + where);
                rest(WORK_MS);
                say("end " + where);
                consumer.updateConsumeOffset(queue, message.getQueueOffset() + 1);
            }
        } catch (Exception e) { // RocketMQ declares four: it is tried again
            say("failed " + e);
        }
    }

    private static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
