package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/**
 * A lite pull consumer of RocketMQ that says on stdout what it works on, and when.
 *
 * <p>{@code LiteWorker NAMESRV KAFKA PREFIX GROUP TOPIC NAME lite NONE|THREAD|AT_END|MOVING|UNSUBSCRIBES|BROKER}. It says lines as {@link RocketWorker}
 * does. At the end of stdin it finishes what it has, hands on, and shuts its consumer down. With {@code THREAD} it polls in a
 * thread of its own, which has ended by then; with {@code AT_END} it begins where RocketMQ does if it is told nothing; with
 * {@code UNSUBSCRIBES} it commits seldom, and unsubscribes the topic when it is asked for its state, but not another one.
 */
public final class LiteWorker {
    private static final int WORK_MS = 4;
    private static final int WAIT_MS = 200;
    private static final String UNSUBSCRIBES = "UNSUBSCRIBES";

    private static volatile boolean over;

    private LiteWorker() {}

    public static void main(String[] args) throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(args[3]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("worker");
        consumer.setInstanceName(args[5]);
        if (!"AT_END".equals(args[7])) {
            consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        }
        consumer.subscribe(args[4], "*");
        if (UNSUBSCRIBES.equals(args[7])) {
            consumer.subscribe(args[4] + "-more", "*");
            consumer.setAutoCommitIntervalMillis(RocketWorker.SELDOM_MS);
            consumer.setPersistConsumerOffsetInterval(RocketWorker.SELDOM_MS);
        }
        MemberOptions options = MemberOptions.of(args[1]).prefix(args[2]).sessionTimeout(Duration.ofSeconds(6));
        Trimtab trimtab = "BROKER".equals(args[7])
                ? null
                : "MOVING".equals(args[7]) ? Trimtab.attachMoving(consumer, options) : Trimtab.attach(consumer, options);
        consumer.start();
        say("started");
        Runnable asked = UNSUBSCRIBES.equals(args[7]) ? () -> consumer.unsubscribe(args[4]) : () -> { };
        new Thread(() -> obey(trimtab, asked), "orders").start();
        if ("THREAD".equals(args[7])) {
            Thread poller = new Thread(() -> poll(consumer, trimtab), "poll");
            poller.start();
            poller.join();
        } else {
            poll(consumer, trimtab);
        }
        consumer.commitSync(); // all that was polled is done; 4.9 has no commit()
        if (trimtab != null) {
            trimtab.close();
        }
        consumer.shutdown();
    }

    private static void obey(Trimtab trimtab, Runnable asked) {
        try {
            for (int read = System.in.read(); read >= 0; read = System.in.read()) {
                if (read == '\n') {
                    asked.run();
                    say("state " + (trimtab == null ? "UNATTACHED" : trimtab.state()));
                }
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        } finally {
            over = true;
        }
    }

    private static void poll(DefaultLitePullConsumer consumer, Trimtab trimtab) {
        try {
            while (!over) {
                work(consumer.poll(WAIT_MS), trimtab);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void work(List<MessageExt> messages, Trimtab trimtab) throws InterruptedException {
        for (MessageExt message : messages) {
            MessageQueue queue = new MessageQueue(message.getTopic(), message.getBrokerName(), message.getQueueId());
            if (trimtab != null && !trimtab.holds(queue)) {
                return; // others have the rest already
            }
            String where = message.getTopic() + " " + message.getQueueId() + " "
                    + new String(message.getBody(), StandardCharsets.UTF_8);
            say("begin " + where);
            Thread.sleep(WORK_MS);
            say("end " + where);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
