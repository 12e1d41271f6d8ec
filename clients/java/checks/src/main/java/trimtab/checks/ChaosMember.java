package trimtab.checks;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import sun.misc.Signal;
import trimtab.MemberOptions;
import trimtab.rocketmq.Trimtab;

/**
 * A member of a round of chaos: a push consumer of RocketMQ that has an effect of each message in a store.
 *
 * <p>{@code ChaosMember NAMESRV KAFKA PREFIX GROUP TOPIC QUEUES NAME WHO concurrently|orderly EVENTS STORE}.
 * Each of two brokers has so many queues of the topic. What it is handed, and when it is through with it, it
 * appends to a file, in the words of {@code chaos/history.py}. Of a message that it takes for the first time
 * every 50th fails, unless it works in order. At SIGUSR1 its next message takes long; at SIGTERM it shuts its
 * consumer down; with its stdin it ends at once.
 */
public final class ChaosMember {
    private static final int WORK_MS = 4;
    private static final int SLOW_MS = 5_000;
    private static final long LOOK_MS = 100;
    private static final long AGAIN_MS = 1_000;
    /** A pause that is worth a line. */
    private static final long HELD_UP_NS = 500_000_000;
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration REVOCATION = Duration.ofSeconds(20);

    private final String[] args;
    private final String who;
    private final int queues;
    private final FileOutputStream events;
    private final OutputStream store;
    private final BufferedReader answers;
    private volatile DefaultMQPushConsumer consumer;
    private volatile Trimtab trimtab;
    private volatile boolean isSlow;

    private ChaosMember(String[] args) throws IOException {
        this.args = args;
        queues = Integer.parseInt(args[5]);
        who = args[7];
        events = new FileOutputStream(args[9], true);
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(args[10]));
        socket.setTcpNoDelay(true);
        store = socket.getOutputStream();
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * RocketMQ's consumer does not start while no name server answers; then it is made anew. It may work all
     * the same: it finds no routes when it is already at work, and nobody else may have its name until it ends.
     */
    private void start() throws InterruptedException {
        while (true) {
            make();
            try {
                consumer.start();
                return;
            } catch (MQClientException | IllegalStateException e) {
                System.out.println(e);
                consumer.shutdown();
                Thread.sleep(AGAIN_MS);
            }
        }
    }

    private void make() {
        consumer = new DefaultMQPushConsumer(args[3]);
        consumer.setNamesrvAddr(args[0]);
        consumer.setClientIP("chaos");
        consumer.setInstanceName(args[6]);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        try {
            consumer.subscribe(args[4], "*");
        } catch (MQClientException e) {
            throw new IllegalStateException(e);
        }
        if ("orderly".equals(args[8])) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) ->
                    work(messages.get(0), context.getMessageQueue(), false)
                            ? ConsumeOrderlyStatus.SUCCESS
                            : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) ->
                    work(messages.get(0), context.getMessageQueue(), true)
                            ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                            : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        }
        MemberOptions options = MemberOptions.of(args[1])
                .prefix(args[2])
                .sessionTimeout(SESSION)
                .revocationTimeout(REVOCATION);
        trimtab = Trimtab.attach(consumer, options);
    }

    public static void main(String[] args) throws Exception {
        ChaosMember member = new ChaosMember(args);
        Signal.handle(new Signal("USR1"), it -> member.isSlow = true);
        Runtime.getRuntime().addShutdownHook(new Thread(member::leave));
        Thread watch = new Thread(member::watch, "watch");
        watch.setDaemon(true);
        watch.start();
        member.start();
        while (System.in.read() >= 0) {
            // it is told nothing
        }
        Runtime.getRuntime().halt(0);
    }

    private void leave() {
        consumer.shutdown();
        Runtime.getRuntime().halt(0);
    }

    /** Has an effect of a message under the token that its queue has now; false: it is to come again. */
    private boolean work(MessageExt message, MessageQueue queue, boolean mayFail) {
        OptionalLong token = trimtab.token(queue);
        if (token.isEmpty()) {
            return false; // the queue went a moment ago, so nobody hears this
        }
        long number = Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
        int place = place(queue);
        String what = place + ", " + token.getAsLong() + ", " + message.getQueueOffset() + ", " + number;
        tell("handed", what);
        try {
            if (mayFail && number % 50 == 7 && message.getReconsumeTimes() == 0) {
                return false;
            }
            Thread.sleep(workMs());
            if (!token.equals(trimtab.token(queue))) {
                tell("lost", place + ", " + token.getAsLong() + ", -1, -1");
                return false; // others work on it
            }
            return haveEffect(who + " " + what.replace(",", ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            tell("done", what);
        }
    }

    private int workMs() {
        boolean wasSlow = isSlow;
        isSlow = false;
        return wasSlow ? SLOW_MS : WORK_MS;
    }

    /** Says whether the store has taken it: it refuses a token that is over. */
    private boolean haveEffect(String line) {
        String answer = null;
        try {
            synchronized (store) {
                store.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                answer = answers.readLine();
            }
        } catch (IOException e) {
            // it is gone, as if it had not answered
        }
        if (answer == null) {
            Runtime.getRuntime().halt(0); // who started us is gone
        }
        return "1".equals(answer);
    }

    /** Writes down when this process was held up. */
    private void watch() {
        long before = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - before > HELD_UP_NS) {
                tell("paused", "-1, -1, " + (now - before) + ", -1");
            }
            before = now;
        }
    }

    /** The queues of the topic at the first broker, at the second, and those for what has failed. */
    private int place(MessageQueue queue) {
        int broker = "broker-a".equals(queue.getBrokerName()) ? 0 : 1;
        return queue.getTopic().startsWith("%RETRY%")
                ? 2 * queues + broker
                : broker * queues + queue.getQueueId();
    }

    /** One write for one line: it is whole, or was cut off by a death. */
    private synchronized void tell(String kind, String what) {
        String line = "[" + System.nanoTime() + ", \"" + who + "\", \"" + kind + "\", " + what + ", \"\"]\n";
        try {
            events.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
