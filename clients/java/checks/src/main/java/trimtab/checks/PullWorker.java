package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumerScheduleService;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/**
 * A pull consumer of RocketMQ that says on stdout what it works on, and when.
 *
 * <p>{@code PullWorker NAMESRV KAFKA PREFIX GROUP TOPIC NAME listener|tasks NONE|MOVING|BROKER}. By a listener it has a thread for each queue;
 * with tasks RocketMQ's own service has. It says lines as {@link RocketWorker} does. At the end of stdin it hands on, and
 * shuts its consumer down.
 */
public final class PullWorker {
    private static final int WORK_MS = 4;
    private static final int REST_MS = 10;

    private final PullThreads threads;
    private volatile Trimtab trimtab;

    private PullWorker(MQPullConsumer consumer) {
        threads = new PullThreads(consumer, this::work, it -> say("failed " + it));
    }

    public static void main(String[] args) throws Exception {
        if ("tasks".equals(args[6])) {
            MQPullConsumerScheduleService service = new MQPullConsumerScheduleService(args[3]);
            DefaultMQPullConsumer consumer = named(service.getDefaultMQPullConsumer(), args);
            PullWorker worker = new PullWorker(consumer);
            worker.trimtab = attached(consumer, args);
            service.registerPullTaskCallback(args[4], worker.trimtab.guarded((queue, context) -> {
                worker.threads.once(queue, () -> true);
                context.setPullNextDelayTimeMillis(REST_MS);
            }));
            service.start();
            worker.obey();
            service.shutdown();
        } else {
            DefaultMQPullConsumer consumer = named(new DefaultMQPullConsumer(args[3]), args);
            PullWorker worker = new PullWorker(consumer);
            consumer.registerMessageQueueListener(args[4], (topic, all, mine) -> worker.threads.change(mine));
            worker.trimtab = attached(consumer, args);
            consumer.start();
            worker.obey();
            consumer.shutdown();
        }
    }

    /** Null: it has no line of trimtab's. */
    private static Trimtab attached(DefaultMQPullConsumer consumer, String[] args) {
        MemberOptions options = MemberOptions.of(args[1]).prefix(args[2]).sessionTimeout(Duration.ofSeconds(6));
        if ("BROKER".equals(args[7])) {
            return null;
        }
        return "MOVING".equals(args[7]) ? Trimtab.attachMoving(consumer, options) : Trimtab.attach(consumer, options);
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
                say("state " + (trimtab == null ? "UNATTACHED" : trimtab.state()));
            }
        }
        if (trimtab == null) {
            threads.change(Set.of()); // RocketMQ tells the listener nothing when it shuts down
        } else {
            trimtab.close();
        }
    }

    /** Works on a message, unless its queue is not ours any more. */
    private boolean work(MessageExt message, MessageQueue queue) throws InterruptedException {
        if (trimtab != null && !trimtab.holds(queue)) {
            return false;
        }
        String where = queue.getTopic() + " " + queue.getQueueId() + " "
                + new String(message.getBody(), StandardCharsets.UTF_8);
        say("begin " + where);
        Thread.sleep(WORK_MS);
        say("end " + where);
        return true;
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
