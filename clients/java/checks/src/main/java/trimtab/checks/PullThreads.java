package trimtab.checks;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.MQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/** Pulls from each queue that a pull consumer's listener names, on a thread of its own, and works on what comes. */
final class PullThreads {
    private static final int REST_MS = 10;
    private static final int AT_ONCE = 32;
    /** Nobody has committed anything; less is no answer. */
    private static final long NONE = -1;

    /** Works on one message; false: it is not done, and nothing after it may be. */
    interface Work {
        boolean of(MessageExt message, MessageQueue queue) throws InterruptedException;
    }

    private final MQPullConsumer consumer;
    private final Work work;
    private final Consumer<Exception> failed;
    private final Map<MessageQueue, Thread> threads = new HashMap<>();
    /** What the listener was told last. */
    private volatile Set<MessageQueue> mine = Set.of();

    PullThreads(MQPullConsumer consumer, Work work, Consumer<Exception> failed) {
        this.consumer = consumer;
        this.work = work;
        this.failed = failed;
    }

    /** Comes back when nobody works on what is not ours any more. */
    synchronized void change(Set<MessageQueue> now) {
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
            once(queue, () -> mine.contains(queue));
            try {
                Thread.sleep(REST_MS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** One pull, and all that it brought, unless that is not ours any more. */
    void once(MessageQueue queue, BooleanSupplier goesOn) {
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
                if (!goesOn.getAsBoolean() || !work.of(message, queue)) {
                    return;
                }
                consumer.updateConsumeOffset(queue, message.getQueueOffset() + 1);
            }
        } catch (Exception e) { // RocketMQ declares four: it is tried again
            failed.accept(e);
        }
    }
}
